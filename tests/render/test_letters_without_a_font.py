"""Letters that neither the report nor the machine has a font for are named before a PDF is made."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from evalreport.cli import status_of
from evalreport.render import system_fonts

SPEC = """evalreport: 1
title: {title}
datasets: {{d: {{path: d.csv, target: y}}}}
models: {{m: {{score: p}}}}
metrics: [recall]
report: {{formats: [{formats}]}}
"""


@pytest.fixture(autouse=True)
def rows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("d.csv").write_text("y,p\n" + "".join(f"{i % 2},{i / 20}\n" for i in range(20)))


@pytest.mark.parametrize(
    ("title", "formats", "told"),
    [
        ("\u4e2d\u6587 report", "html, pdf", "no installed font has \u4e2d, \u6587: the PDF"),
        ("\u4e2d\u6587 report", "html", None),
        ("r\u00e9sum\u00e9 \u2265 90 %", "html, pdf", None),
    ],
)
def test_check_names_letters_without_a_font(monkeypatch, capsys, title, formats, told) -> None:
    monkeypatch.setattr(system_fonts, "_in_system_fonts", lambda: lambda sign: sign < "\u1000")
    Path("s.yaml").write_text(SPEC.format(title=title, formats=formats), encoding="utf-8")
    assert status_of(["check", "s.yaml"]) == 0
    err = capsys.readouterr().err
    assert (told in err) if told else ("font" not in err)


def test_the_fonts_of_the_machine_are_those_of_fontconfig() -> None:
    """What fontconfig's own program lists for a letter is what is found here."""
    has = system_fonts._in_system_fonts()
    if has is None:
        pytest.skip("fontconfig is not installed")
    for sign in ("A", "\u0416", "\u4e2d", "\U0001f600", "\U0010fffd"):
        asked = ["fc-list", f":charset={ord(sign):x}", "family"]
        try:
            listed = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
        except FileNotFoundError:
            pytest.skip("fc-list is not installed")
        assert has(sign) is bool(listed.strip()), sign


def test_without_fontconfig_nothing_is_told(monkeypatch) -> None:
    monkeypatch.setattr(system_fonts, "_in_system_fonts", lambda: None)
    assert system_fonts.font_warning({"title": "\u4e2d"}) is None
