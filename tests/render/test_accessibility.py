"""The page under axe in headless Chromium, where node and the two packages are at hand.

EVALREPORT_AXE names a folder node_modules that holds axe-core and playwright-core.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from report.example_results import many_classes, states, two_models

from evalreport.render.html import render_html

MODULES = os.environ.get("EVALREPORT_AXE", "")
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome") or ""
MISSING = (
    "node is not installed"
    if shutil.which("node") is None
    else "EVALREPORT_AXE names no node_modules with axe-core and playwright-core"
    if not all((Path(MODULES or "?") / n).is_dir() for n in ("axe-core", "playwright-core"))
    else "Chromium is not installed"
    if not CHROMIUM
    else ""
)
MADE = {"two models": two_models, "ten classes": lambda: many_classes(10), "states": states}


@pytest.mark.skipif(bool(MISSING), reason=MISSING or "present")
@pytest.mark.parametrize("width", [400, 1280])
@pytest.mark.parametrize("template", ["standard", "clinical", "audit", "model_card", "minimal"])
@pytest.mark.parametrize("name", list(MADE))
def test_axe_finds_no_violation(name, template, width, tmp_path):
    results = MADE[name]()
    report = results.setdefault("spec", {}).setdefault("report", {})
    report["checklists"] = ["stard_2015"]
    page = tmp_path / "report.html"
    page.write_text(render_html(results, template), encoding="utf-8")
    script = Path(__file__).with_name("accessibility.mjs")
    done = subprocess.run(
        ["node", script, MODULES, CHROMIUM, page, str(width)],
        capture_output=True,
        check=True,
        timeout=120,
    )
    assert json.loads(done.stdout) == []
