"""The page by the keyboard alone, enlarged, and on a telephone, in headless Chromium."""

from __future__ import annotations

import json
import os
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from plain_results import render_html
from programs import lacks, program
from render.axe_page import MODULES
from report.example_results import many_classes, states, two_models

pytestmark = pytest.mark.long_but_first


SCRIPT = Path(__file__).parent / "axe" / "keyboard.js"
MADE = {"two models": two_models, "twenty classes": lambda: many_classes(20), "states": states}
CHECKLISTS = ["stard_2015", "tripod_ai", "model_card", "eu_ai_act", "ll144"]


@cache
def used(name: str, template: str = "standard") -> dict[str, Any]:
    """What a reader without a mouse meets on a page."""
    results = MADE[name]()
    results.setdefault("spec", {}).setdefault("report", {})["checklists"] = CHECKLISTS
    return walked(render_html(results, template))


def walked(page: str) -> dict[str, Any]:
    """The page used by the script."""
    import tempfile

    node, chromium = program("node"), program("chromium")
    if not (MODULES / "playwright-core" / "package.json").is_file():
        lacks("playwright-core (make axe)")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "report.html"
        file.write_text(page, encoding="utf-8")
        done = subprocess.run(
            [node, str(SCRIPT), str(file), chromium],
            env={**os.environ, "MODULES": str(MODULES)},
            capture_output=True, timeout=180, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode("utf-8", "replace")[-2000:]
    found: dict[str, Any] = json.loads(done.stdout)
    return found


PAGES = [
    ("two models", "standard"), ("two models", "clinical"), ("two models", "audit"),
    ("two models", "model_card"), ("two models", "minimal"), ("twenty classes", "standard"),
    ("states", "audit"),
]  # fmt: skip


@pytest.mark.nightly_but_first
@pytest.mark.long
@pytest.mark.browser
@pytest.mark.parametrize(("name", "template"), PAGES)
def test_everything_is_reached_in_its_order_and_left_again(name: str, template: str) -> None:
    found = used(name, template)
    places = [stop["place"] for stop in found["tabbed"]]
    assert len(places) > 5
    # each once, in the order of the page, and then out of it
    assert places == found["reachable"] == sorted(set(places))
    assert found["back"]["place"] == places[-1]
    for stop in found["tabbed"]:
        assert stop["ringed"], stop
        assert stop["outline"] >= 2, stop
        assert stop["seen"], stop
        assert stop["area"] > 0, stop
        assert stop["text"], stop


@pytest.mark.long
@pytest.mark.browser
@pytest.mark.parametrize(("name", "template"), PAGES)
def test_nothing_scrolls_sideways_but_tables_that_are_reached(name: str, template: str) -> None:
    found = used(name, template)
    assert set(found["shapes"]) == {"1280", "200 %", "400", "400 %"}
    for width, shape in found["shapes"].items():
        assert shape["wide"] <= 0, width
        assert shape["unreachable"] == [], width
        assert shape["nameless"] == [], width
        assert shape["twice"] == [], width
        assert shape["positive"] == 0, width
    assert found["shapes"]["400"]["scrolls"] > 0
    assert found["scrolled"] > 0, "the arrow keys do not move a wide table"
    assert found["requests"] == []


@pytest.mark.long
@pytest.mark.browser
def test_the_first_link_skips_to_the_report_and_details_open_by_key() -> None:
    found = used("two models")
    assert found["skip"]["text"] == "Skip to the report"
    assert found["skip"]["seen"]
    assert found["hash"] == "#main"
    assert found["after_skip"]
    assert found["skipped"] > found["skip"]["place"]
    assert (found["opened"], found["closed"]) == (True, True)


@pytest.mark.long
@pytest.mark.browser
def test_a_page_that_fails_is_seen_to_fail() -> None:
    page = render_html(two_models())
    # whatever has to be scrolled sideways on a narrow screen can no longer be reached
    broken = page.replace(' tabindex="0"', "").replace('id="main"', 'id="h-verdict"')
    broken = broken.replace("a:focus-visible,", "a:focus-visible{outline:0}").replace(
        "</body>", '<div style="width:200rem">wide</div><a tabindex="3" href="#x">first</a></body>'
    )
    found = walked(broken)
    places = [stop["place"] for stop in found["tabbed"]]
    assert places != sorted(places)
    assert any(stop["outline"] < 2 for stop in found["tabbed"])
    assert found["shapes"]["1280"]["wide"] > 0
    assert found["shapes"]["400"]["unreachable"]
    assert found["shapes"]["400"]["twice"] == ["h-verdict"]
    assert found["shapes"]["400"]["positive"] == 1
