"""The template for notebooks: result, table and charts, and nothing that nobody asked for."""

from __future__ import annotations

from random import Random

from report.html_page import parse

import evalreport


def _results() -> evalreport.Results:
    random = Random(5)
    truth = [k % 3 == 0 for k in range(300)]
    scores = [min(1.0, max(0.0, random.gauss(0.35 + 0.3 * t, 0.2))) for t in truth]
    return evalreport.evaluate([int(t) for t in truth], scores)


def test_a_quick_page_is_small_and_has_result_table_curve_and_calibration() -> None:
    results = _results()
    page = results.to_html("quick")
    root = parse(page)
    assert [s.attrs["id"] for s in root.all("section")] == ["verdict", "curves"]
    assert root.all("h2")[0].text.strip() == "RESULTS"
    assert "limit" not in root.all("dl")[0].text
    assert [c.attrs["aria-label"].split(".")[0] for c in root.all("svg")] == [
        "ROC curve",
        "Calibration",
    ]
    shown = page.partition("<main")[2]
    assert not [word for word in ("UNSIGNED", "not provided", "acceptance") if word in shown]
    assert "@font-face" not in page
    assert len(page.encode()) < 60_000 < len(results.to_html().encode())
    recall = results["recall"]
    (row,) = root.all("tr", data_measure=recall.record.id)
    assert row.all(data_value=True)[0].attrs["data-value"] == repr(recall.value)
