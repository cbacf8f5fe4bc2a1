"""Every kind of record of a run has a section that is about it, or the reason why it has none."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import Any

import pytest

import evalreport
from evalreport.report.contents import Contents
from evalreport.report.model import Block
from evalreport.report.sections import UNSHOWN, section, sections
from evalreport.report.wording import TEMPLATES
from evalreport.results.codec import decode
from evalreport.results.lookup import Results, parts
from evalreport.results.records import Drift, Reference

TRUTH = ["ill", "well"] * 12


def of_readers() -> dict[str, Any]:
    """Twelve cases, each read by two readers of two models."""
    calls = ["well" if k % 5 == 0 else label for k, label in enumerate(TRUTH)]
    who = ["r1"] * 12 + ["r2"] * 12
    case = [f"c{k % 12}" for k in range(24)]
    return {"y": TRUTH, "a": calls, "b": TRUTH[:18] + calls[18:], "who": who, "case": case}


def of_groups() -> dict[str, Any]:
    groups = {"g": [f"g{k % 2}" for k in range(24)], "fold": [k % 3 for k in range(24)]}
    scores = [0.1 + 0.03 * k for k in range(24)]
    return {"y": TRUTH, "a": scores, "b": scores[::-1], **groups}


@pytest.fixture(scope="module")
def runs() -> list[Results]:
    """Small runs that hold something of all that is looked up only where something else is."""
    base = {"evalreport": 1, "title": "t", "positive": {"label": "ill"}, "metrics": ["recall"]}
    read = {
        **base,
        "datasets": {"d": {"target": "y", "id": "case", "readers": "who"}},
        "models": {"a": {"prediction": "a"}, "b": {"prediction": "b"}},
        "comparisons": {"reference": "a"},
        "confidence": {"resamples": 100},
    }
    grouped = {
        **base,
        "datasets": {"d": {"target": "y", "fold": "fold"}},
        "models": {"a": {"score": "a"}, "b": {"score": "b"}},
        "subgroups": ["g"],
        "confidence": {"resamples": 100},
    }
    printed = {
        **base,
        "datasets": {"p": {"table": {"labels": ["well", "ill"], "counts": [[9, 1], [2, 8]]}}},
        "models": {"m": {"prediction": "predicted"}},
        "claims": [{"metric": "recall", "value": "0.8", "source": "as published"}],
    }
    found = [
        evalreport.run(read, frames={"d": of_readers()}),
        evalreport.run(grouped, frames={"d": of_groups()}),
        evalreport.run(printed),
    ]
    results = [decode(one.json) for one in found]
    then = Reference("20260101T000000Z-00000000", "0" * 64)
    compared = tuple(replace(one, reference_run=then.run) for one in results[0].comparisons)
    return [*results, replace(results[0], comparisons=compared, references=(then,))]


def test_every_kind_has_a_section_or_a_reason_for_none() -> None:
    shown = {kind for one in sections().values() for kind in one.of}
    assert shown | set(UNSHOWN) == set(parts())
    assert all(len(reason.split()) >= 4 for reason in UNSHOWN.values())


def test_a_kind_with_neither_is_an_error_that_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evalreport.report.sections.UNSHOWN", {})
    sections.cache_clear()
    with pytest.raises(LookupError, match="Logo has no section and no reason for none"):
        sections()
    monkeypatch.setattr("evalreport.report.sections.UNSHOWN", {**UNSHOWN, Drift: "given twice"})
    with pytest.raises(LookupError, match="Drift has a section and a reason for none"):
        sections()
    monkeypatch.undo()
    assert "drift" in sections()


def test_a_section_reads_the_records_that_it_is_about(
    runs: list[Results], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is declared is held against what is looked up while the section is made."""
    kinds = {name: kind for kind, name in parts().items()}
    read: defaultdict[str, set[type]] = defaultdict(set)
    plain = Results.__getattribute__
    for results in runs:
        for name, one in sections().items():
            contents = Contents(results)

            def watched(self: Results, field: str, name: str = name) -> Any:
                if field in kinds:
                    read[name].add(kinds[field])
                return plain(self, field)

            with monkeypatch.context() as patched:
                patched.setattr(Results, "__getattribute__", watched)
                one.make(contents)
    unread = {name: set(one.of) - read[name] for name, one in sections().items()}
    assert {name: kinds for name, kinds in unread.items() if kinds} == {}


def test_every_section_of_a_template_is_declared() -> None:
    for wording in TEMPLATES.values():
        assert set(wording.sections) <= set(sections())
        assert set(wording.titles) <= set(sections())


def test_no_section_is_declared_twice() -> None:
    def blocks(_: Contents) -> list[Block]:
        return []

    with pytest.raises(ValueError, match="drift is declared twice"):
        section("drift", "Drift")(blocks)
