"""The command as a whole: what it writes, what it says, and that each part can fail."""

from __future__ import annotations

import html
import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from programs import found_program
from qualify.installs import ROOT

from evalreport.cli import status_of
from evalreport.qualify import commands as module
from evalreport.qualify.checks import FAILED, PASSED
from evalreport.qualify.commands import Done, commands
from evalreport.qualify.whole import performance
from evalreport.report.qualification import qualification
from evalreport.report.words import visible

AT = "2026-11-21T12:00:00Z"
SPEC = """\
evalreport: 1
title: Ten rows
datasets: {ten: {path: data.csv, target: y}}
models: {m: {score: p}}
metrics: [recall]
report: {formats: [html]}
"""
ROWS = "y,p\n" + "".join(f"{k % 2},{k / 10}\n" for k in range(10))


def silent(_what: str, _total: int | None) -> None:
    pass


@pytest.fixture
def study(tmp_path: Path) -> Path:
    (tmp_path / "data.csv").write_text(ROWS)
    (tmp_path / "spec.yaml").write_text(SPEC)
    return tmp_path / "spec.yaml"


@pytest.mark.nightly
@pytest.mark.requirement("R9")
@pytest.mark.requirement("R10")
@pytest.mark.requirement("R11")
@pytest.mark.requirement("R12")
@pytest.mark.requirement("R13")
@pytest.mark.requirement("R14")
@pytest.mark.requirement("R15")
@pytest.mark.requirement("R18")
def test_every_check_of_the_command_passes() -> None:
    found = list(commands(silent))
    assert [one for one in found if one.outcome != PASSED] == []
    asked = {one.requirement for one in found}
    assert asked == {"R9", "R10", "R11", "R12", "R13", "R14", "R15", "R18"}


@pytest.mark.long
def test_a_command_that_does_nothing_right_fails_each_check(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "command", lambda *_, **__: Done(70, "Traceback"))
    found = list(commands(silent))
    assert {one.outcome for one in found} == {FAILED}


@pytest.mark.long
@pytest.mark.requirement("R16")
def test_the_whole_of_it(study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    status = status_of(
        [
            "qualify",
            "--spec",
            str(study),
            "-o",
            str(out),
            "--at",
            AT,
            "--formats",
            "pdf,html",
            "--parts",
            "IQ,PQ",
        ]
    )
    assert status == 0, capsys.readouterr().out
    said = capsys.readouterr().out
    assert re.search(r"\d+ of \d+ checks passed", said)
    found = json.loads((out / "qualification.json").read_text())
    assert found["schema"] == "evalreport/qualification/1"
    assert found["outcome"] == "passed"
    assert found["clock"] == "given"
    assert found["spec"]["name"] == "spec.yaml"
    (twice,) = (one for one in found["checks"] if one["what"] == "the user's spec twice")
    assert twice["outcome"] == "passed"
    page = (out / "qualification.html").read_text()
    assert "2026-11-21 12:00:00 UTC (time set by the user)" in page
    for requirement in found["requirements"]:
        assert html.escape(requirement["text"], quote=True).replace("&#x27;", "&#39;") in page
    if pdftotext := found_program("pdftotext"):
        text = subprocess.run(
            [pdftotext, "-layout", out / "qualification.pdf", "-"],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        assert "From requirement to check to result" in text
    assert b"%PDF-1" in (out / "qualification.pdf").read_bytes()[:8]


def test_no_name_of_the_machine_or_of_a_user() -> None:
    import getpass
    import platform

    from evalreport.qualify.whole import machine

    told = json.dumps(machine())
    assert platform.node() not in told
    assert f'"{getpass.getuser()}"' not in told
    assert str(Path.home()) not in told


@pytest.mark.long
@pytest.mark.requirement("R16")
def test_against_a_stored_run(study: Path, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    assert status_of(["run", str(study), "-o", str(runs), "--at", AT, "--quiet"]) == 0
    (same,) = performance(silent, study, runs / "latest")
    assert same.outcome == PASSED
    data = study.parent / "data.csv"
    data.write_text(ROWS.replace("1,0.1", "0,0.1"))
    (swapped,) = performance(silent, study, runs / "latest")
    assert swapped.outcome == FAILED
    assert "data.csv is not the file that this run read" in swapped.reason


@pytest.mark.long
def test_a_spec_whose_run_fails_is_told(study: Path) -> None:
    (study.parent / "data.csv").unlink()
    found = list(performance(silent, study, None))
    assert {one.outcome for one in found} == {FAILED}
    assert "data.csv" in found[0].reason


def checks(**more: str) -> dict[str, Any]:
    one = {
        "id": "IQ-1",
        "part": "IQ",
        "requirement": "R1",
        "what": "files",
        "expected": "as recorded",
        "found": "1 file otherwise",
        "outcome": "failed",
        "source": "",
        "reason": "a.py: altered",
    }
    parts = [
        {"part": part, "title": f"Part: {part}", "passed": 0, "failed": part == "IQ", "not_done": 0}
        for part in ("IQ", "OQ", "PQ")
    ]
    return {
        "checks": [{**one, **more}],
        "parts": parts,
        "at": AT,
        "clock": "given",
        "version": "1",
        "machine": {},
        "tested_with_python": "3.11",
        "spec": None,
        "requirements": [
            {"id": "R1", "text": "t", "checks": ["IQ-1"], "passed": 0, "failed": 1, "not_done": 0}
        ],
    }


def test_failures_come_first_and_by_name() -> None:
    report = qualification(checks(), "0" * 64)
    assert report.outcome == "1 checks FAILED"
    first = report.sections[0].blocks[0]
    assert "a.py: altered" in str(first)


def test_what_is_printed_is_text_whatever_it_holds() -> None:
    report = qualification(checks(reason="a\x1b[31m\u202eb"), "0" * 64)
    assert visible("\x1b[31m") in str(report.sections[0].blocks[0]).replace("\\\\", "\\")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["--against", "run"], "--against needs the spec"),
        (["--key", "k"], "give all three"),
        (["--parts", "IQ,XQ"], "no part 'XQ'"),
        (["--formats", "docx"], "no format 'docx'"),
        (
            ["--key", "k", "--cert", "c", "--name", "n", "--formats", "html"],
            "only the PDF is signed",
        ),
    ],
)
def test_what_cannot_be_asked_for(
    given: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status_of(["qualify", *given]) == 2
    assert words in capsys.readouterr().err


def test_words_that_claim_too_much_stand_nowhere() -> None:
    places = [
        *(ROOT / "evalreport" / "qualify").glob("*.py"),
        *(ROOT / "evalreport" / "seal").glob("*.py"),
        ROOT / "evalreport" / "report" / "qualification.py",
    ]
    for path in places:
        assert not re.search(
            r"\b(compliant|certified|validated)\b", path.read_text(), re.IGNORECASE
        ), path
