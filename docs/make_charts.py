"""Draws the pictures of docs/charts.md from the ready specs: ``python docs/make_charts.py``.

Each is one chart of a report, as the format ``figures`` writes it, at the resolution of a screen.
"""

from __future__ import annotations

import io
from pathlib import Path

from PIL import Image

import evalreport
from evalreport.report.build import build
from evalreport.report.classes import first_table, heat_map
from evalreport.report.contents import Contents
from evalreport.report.model import Chart, Charts

FOLDER = Path(__file__).resolve().parent
CONFIGS = FOLDER.parent / "configs"
#: The spec that a kind of chart is shown of.
SHOWN = {
    "roc": "breast_cancer",
    "precision_recall": "imbalanced",
    "calibration": "breast_cancer",
    "decision": "imbalanced",
    "score_distribution": "imbalanced",
    "sweep": "breast_cancer",
    "subgroups": "breast_cancer",
    "paired_scores": "breast_cancer",
    "confusion": "digits",
    "folds": "cross_validation",
    "learning_curve": "cross_validation",
    "training_history": "training_history",
}
#: Width of a picture of a whole line of the page, in pixels.
WIDTH = 964


def charts_of(name: str) -> dict[str, Chart]:
    """The first chart of each kind in the report of a ready spec."""
    results = evalreport.run(CONFIGS / f"{name}.yaml")
    blocks = (block for section in build(results.records).sections for block in section.blocks)
    charts = [chart for block in blocks if isinstance(block, Charts) for chart in block.charts]
    # reports draw that of more than ten classes alone
    contents = Contents(results.records)
    table = first_table(contents, contents.views[0]) if contents.views else None
    charts += heat_map(contents, table).charts if table is not None else ()
    return {chart.name: chart for chart in reversed(charts)}


def small(chart: Chart) -> bytes:
    """The picture in few bytes: at the width of a screen, in 64 colours."""
    drawn = Image.open(io.BytesIO(chart.drawing.picture())).convert("RGB")
    width = round(WIDTH * float(chart.drawing.box.split()[2]) / 482)
    size = (width, round(drawn.height * width / drawn.width))
    palette = drawn.resize(size, Image.Resampling.LANCZOS).quantize(64, dither=Image.Dither.NONE)
    written = io.BytesIO()
    palette.save(written, "PNG", optimize=True)
    return written.getvalue()


def main() -> None:
    """Write the pictures into docs/charts/."""
    folder = FOLDER / "charts"
    folder.mkdir(exist_ok=True)
    made = {name: charts_of(name) for name in dict.fromkeys(SHOWN.values())}
    for kind, name in SHOWN.items():
        (folder / f"{kind}.png").write_bytes(small(made[name][kind]))
    (folder / "many.png").write_bytes(small(made["digits"]["precision_recall"]))


if __name__ == "__main__":
    main()
