"""OQ: the cases that travel with the wheel, and what they find when the code is wrong."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

import pytest

from evalreport.metrics import catalogue
from evalreport.qualify import reference as module
from evalreport.qualify.checks import FAILED, REQUIREMENTS, Finding

ROOT = Path(__file__).resolve().parents[2]
AT = "2026-01-02T03:04:05Z"


def silent(_what: str, _total: int | None) -> None:
    pass


def answers() -> list[Finding]:
    return list(module.reference(silent, AT))


@pytest.mark.long
@pytest.mark.parametrize("of", ["R3", "R4", "R5", "R6", "R7", "R8"])
def test_what_is_asked_is_more_than_a_handful(of: str) -> None:
    asked = Counter(
        answer["requirement"]
        for case in module.read_cases()
        for run in case["runs"]
        for answer in run["answers"]
    )
    assert asked[of] >= 10


@pytest.mark.long
@pytest.mark.requirement("R3")
@pytest.mark.requirement("R4")
@pytest.mark.requirement("R5")
@pytest.mark.requirement("R6")
@pytest.mark.requirement("R7")
@pytest.mark.requirement("R8")
def test_every_answer_is_met() -> None:
    found = answers()
    assert len(found) > 400
    assert [one for one in found if one.outcome == FAILED] == []
    assert all(one.source for one in found)


@pytest.mark.long
def test_the_file_is_what_its_script_writes() -> None:
    sys.path.insert(0, str(ROOT / "tests"))
    try:
        from reference.make_cases import TARGET, cases_file
    finally:
        sys.path.remove(str(ROOT / "tests"))
    assert json.loads(TARGET.read_text(encoding="utf-8")) == json.loads(cases_file())


def test_an_answer_that_is_not_met_fails_and_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    (case,) = (one for one in module.read_cases() if one["id"] == "by_hand")
    changed = json.loads(json.dumps(case))
    for answer in changed["runs"][0]["answers"]:
        if answer["of"]["metric"] == "recall":
            answer["value"] += 2e-12
    monkeypatch.setattr(module, "read_cases", lambda: [changed])
    (wrong,) = (one for one in answers() if one.outcome == FAILED)
    assert wrong.reason.startswith("by_hand, recall: found 0.98")


def test_a_case_that_cannot_be_run_fails_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    (case,) = (one for one in module.read_cases() if one["id"] == "by_hand")
    changed = json.loads(json.dumps(case))
    changed["spec"]["metrics"] = ["recal"]
    monkeypatch.setattr(module, "read_cases", lambda: [changed])
    found = answers()
    assert {one.outcome for one in found} == {FAILED}
    assert all("did you mean 'recall'" in one.reason for one in found)


def test_cases_name_requirements_and_metrics_that_there_are() -> None:
    for case in module.read_cases():
        for run in case["runs"]:
            for answer in run["answers"]:
                assert answer["requirement"] in {one.id for one in REQUIREMENTS}
                assert answer["of"]["metric"] in catalogue.known_names()
                assert max(answer.get("tolerance", {"abs": 0}).values()) < 1e-2
