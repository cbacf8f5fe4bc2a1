"""Draws the pictures of docs/charts.md and of the README: ``python docs/make_charts.py``.

Each is one chart of the report of a ready spec, as the format ``figures`` writes it, at the
resolution of a screen; that of the README is a first page (with ``pdftoppm`` of Poppler).
"""

from __future__ import annotations

import io
import subprocess
from datetime import datetime
from pathlib import Path

from PIL import Image, ImageChops

import evalreport
from evalreport.render.html import render_html
from evalreport.render.pdf import render_pdf
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
#: The clock of the first page in the README, and what is kept white around its words, in pixels.
AT, MARGIN = "2026-11-21T00:00:00+00:00", 20


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
    return _in_few_colours(drawn.resize(size, Image.Resampling.LANCZOS))


def first_page() -> bytes:
    """The first page on paper, without what stands below its last words."""
    results = evalreport.run(CONFIGS / "breast_cancer.yaml", at=AT)
    html = render_html(results.records, paper=True)
    pdf = render_pdf(html, at=datetime.fromisoformat(AT))
    command = ["pdftoppm", "-r", "110", "-f", "1", "-l", "1", "-png", "-"]
    png = subprocess.run(command, input=pdf, stdout=subprocess.PIPE, check=True).stdout  # noqa: S603 - fixed words
    page = Image.open(io.BytesIO(png)).convert("RGB")
    body = page.crop((0, 0, page.width, round(page.height * 0.955)))
    box = ImageChops.invert(body).getbbox() or (0, 0, *body.size)
    around = (-MARGIN, -MARGIN, MARGIN, MARGIN)
    return _in_few_colours(page.crop(tuple(a + b for a, b in zip(box, around, strict=True))))


def _in_few_colours(picture: Image.Image) -> bytes:
    palette = picture.quantize(64, dither=Image.Dither.NONE)
    written = io.BytesIO()
    palette.save(written, "PNG", optimize=True)
    return written.getvalue()


def main() -> None:
    """Write the pictures into docs/charts/, and docs/report.png."""
    folder = FOLDER / "charts"
    folder.mkdir(exist_ok=True)
    made = {name: charts_of(name) for name in dict.fromkeys(SHOWN.values())}
    for kind, name in SHOWN.items():
        (folder / f"{kind}.png").write_bytes(small(made[name][kind]))
    (FOLDER / "report.png").write_bytes(first_page())
    (folder / "many.png").write_bytes(small(made["digits"]["precision_recall"]))


if __name__ == "__main__":
    main()
