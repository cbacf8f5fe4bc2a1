"""On a phone the table of results keeps its heads, and its axis keeps its numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from plain_results import render_html
from ready_specs import CONFIGS, results_of
from render.axe_page import in_frame
from report.example_results import two_models

from evalreport.report.charts.style import SMALL

pytestmark = [pytest.mark.long_but_first, pytest.mark.browser]

#: For each table of results: the heads with their left edges, those of each row's cells under
#: them, the numbers of the axis, and the edges of the axis in the head and in the rows.
_RUN = """
<script>
addEventListener("load", () => {
  const left = (e) => Math.round(e.getBoundingClientRect().left);
  const edges = (e) => { const b = e.getBoundingClientRect();
    return [Math.round(b.left), Math.round(b.right)]; };
  const tables = [...document.querySelectorAll("table.results")].map((t) => {
    const cells = (row) => [...row.cells].slice(1).map(left);
    return {
      heads: [...t.tHead.rows[0].cells].slice(1).filter((e) => e.getBoundingClientRect().height)
        .map((e) => e.textContent.trim()),
      at: cells(t.tHead.rows[0]),
      rows: [...t.tBodies[0].rows].map(cells),
      ticks: [...t.querySelectorAll(".ticks span")].map((e) => e.textContent),
      axis: edges(t.querySelector(".ticks")),
      strips: [...t.querySelectorAll(".wh")].map(edges),
    };
  });
  const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  parent.postMessage(JSON.stringify({tables, wide}), "*");
});
</script>
"""


def _ready(name: str) -> dict[str, Any]:
    return results_of(next(path for path in CONFIGS if path.stem == name))


@pytest.mark.parametrize(
    ("results", "judged"),
    [
        pytest.param(two_models, True, id="two models"),
        pytest.param(lambda: _ready("cross_validation"), False, id="cross_validation"),
        pytest.param(lambda: _ready("multilabel"), None, id="multilabel"),
    ],
)
def test_heads_stand_over_their_columns_and_numbers_over_their_strips(results, judged, tmp_path):
    found = in_frame(render_html(results()), tmp_path, 400, _RUN)
    assert found["wide"] <= 0
    assert found["tables"]
    for table in found["tables"]:
        assert table["heads"][:3] == ["model", "found / of", "value"]
        assert table["heads"][3].endswith("limits")
        assert all(row == table["at"] for row in table["rows"])
        assert len(table["ticks"]) == 3
        assert table["strips"]
        assert all(strip == table["axis"] for strip in table["strips"])
    if judged is not None:
        assert any("required" in table["heads"] for table in found["tables"]) == judged


#: The pixels of a point of each chart, and by how much the page is wider than the screen.
_CHARTS = """
<script>
addEventListener("load", () => {
  const charts = [...document.querySelectorAll("svg.chart")].map((e) =>
    e.getBoundingClientRect().width / e.viewBox.baseVal.width);
  const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  parent.postMessage(JSON.stringify({charts, wide}), "*");
});
</script>
"""


@pytest.mark.parametrize("width", [400, 700])
@pytest.mark.parametrize("name", ["breast_cancer", "digits", "training_history"])
def test_letters_of_charts_have_ten_pixels(name: str, width: int, tmp_path: Path) -> None:
    found = in_frame(render_html(_ready(name)), tmp_path, width, _CHARTS)
    assert found["wide"] <= 0
    assert found["charts"]
    assert min(found["charts"]) * SMALL >= 10
