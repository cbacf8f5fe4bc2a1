"""Every template under axe (WCAG 2.2 A and AA, best practice), on narrow and wide screens."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from plain_results import render_html
from render.axe_page import findings
from report.example_results import many_classes, states, two_models

import evalreport

pytestmark = pytest.mark.long_but_first


CONFIGS = Path(__file__).parents[2] / "configs"
MADE = {"two models": two_models, "ten classes": lambda: many_classes(10), "states": states}
TEMPLATES = ["standard", "clinical", "audit", "model_card", "minimal"]
CHECKLISTS = ["stard_2015", "tripod_ai", "model_card", "eu_ai_act", "ll144"]


def _clean(page: str, folder: Path, width: int, zoom: int = 100, dark: bool = False) -> bool:
    """True where axe passed more than 20 rules and nothing is wrong; else what is wrong fails."""
    found = findings(page, folder, width, zoom, dark)
    assert found["violations"] == []
    assert found["twice"] == []
    assert found["width"] == width
    assert found["wide"] <= 0, "the page scrolls sideways"
    assert found["results"] > 0
    assert found["off"] == [], "off screen, and in no box that is seen to scroll"
    return bool(found["passes"] > 20)


@pytest.mark.long
@pytest.mark.browser
@pytest.mark.parametrize("width", [400, 1280])
@pytest.mark.parametrize(
    ("name", "template"),
    [
        *(("two models", template) for template in TEMPLATES),
        ("ten classes", "standard"),
        ("states", "clinical"),
    ],
)
def test_axe_finds_no_violation(name, template, width, tmp_path):
    results = MADE[name]()
    report = results.setdefault("spec", {}).setdefault("report", {})
    report["checklists"] = CHECKLISTS
    assert _clean(render_html(results, template), tmp_path, width)


@pytest.mark.nightly_but_first
@pytest.mark.long
@pytest.mark.browser
@pytest.mark.parametrize("width", [400, 1280])
@pytest.mark.parametrize("template", TEMPLATES)
def test_axe_finds_no_violation_in_the_dark(template, width, tmp_path):
    results = two_models()
    results.setdefault("spec", {}).setdefault("report", {})["checklists"] = CHECKLISTS
    assert _clean(render_html(results, template), tmp_path, width, dark=True)


@pytest.mark.long
@pytest.mark.browser
@pytest.mark.parametrize(
    ("config", "template", "width"),
    [
        ("breast_cancer", "audit", 400),
        ("multilabel", "standard", 1280),
        pytest.param("digits", "clinical", 400, marks=pytest.mark.nightly),
    ],
)
def test_axe_finds_no_violation_in_ready_specs(config, template, width, tmp_path):
    path = CONFIGS / f"{config}.yaml"
    spec = yaml.safe_load(path.read_text(encoding="utf-8"))
    for dataset in spec["datasets"].values():
        dataset["path"] = str(CONFIGS / dataset["path"])
    spec["confidence"]["resamples"] = 20
    spec["report"]["checklists"] = CHECKLISTS
    assert _clean(render_html(evalreport.run(spec).json, template), tmp_path, width)


@pytest.mark.nightly
@pytest.mark.browser
@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("template", TEMPLATES)
def test_twice_as_large_nothing_is_lost(template, dark, tmp_path):
    # 1280 pixels at 200 % hold as much as 640: WCAG 1.4.4 and 1.4.10
    assert _clean(render_html(two_models(), template), tmp_path, 640, dark=dark)


@pytest.mark.long
@pytest.mark.browser
def test_letters_twice_as_large_lose_nothing(tmp_path):
    assert _clean(render_html(two_models()), tmp_path, 1280, zoom=200)


@pytest.mark.long
def test_a_violation_is_found(tmp_path):
    page = render_html(states()).replace('alt="', 'data-alt="').replace("<title>", "<title hidden>")
    page = page.replace('<html lang="en">', "<html>").replace('id="main"', 'id="h-verdict"')
    found = findings(page, tmp_path, 1280)
    assert "html-has-lang" in {violation for violation, _ in found["violations"]}
    assert found["twice"] == ["h-verdict"]


@pytest.mark.long
def test_what_scrolls_is_reached_by_the_keyboard_and_has_a_name():
    """Without a script the browser's own keys do the rest: links, details and scrolling boxes."""
    from report.html_page import parse

    for made in MADE.values():
        page = parse(render_html(made()))
        boxes = [e for e in page.all() if "scroll" in e.attrs.get("class", "").split()]
        named = [e for e in boxes if e.attrs.get("tabindex") == "0"]
        assert named
        assert all(e.attrs.get("aria-label") and e.attrs.get("role") == "group" for e in named)
        # classification tables of up to eight columns never scroll
        for box in boxes:
            if box not in named:
                assert len(box.all("th", scope="col")) <= 9
        skip = page.all("a")[0]
        assert skip.attrs["href"] == "#main"
        assert not [e for e in page.all() if int(e.attrs.get("tabindex", "0")) > 0]
