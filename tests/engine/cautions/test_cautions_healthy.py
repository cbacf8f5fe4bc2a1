"""A healthy run draws no warning, and every caution is declared with its words."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pytest

from evalreport.engine.cautions import catalogue as catalogue_module
from evalreport.engine.cautions import find_cautions
from evalreport.engine.cautions.catalogue import catalogue, code_problem, known_codes, rows
from evalreport.engine.cautions.declare import CAUTIONS, Caution, caution
from evalreport.errors import SpecError
from evalreport.results.codec import encode

METRICS = ["recall", "specificity", "precision", "accuracy", "roc_auc", "log_loss", "brier"]
CONTRACT = {"code", "severity", "message", "dataset", "model", "measure", "table"}
NEVER = re.compile(
    r"compliant|certif|validated|approved|guarantee|conforms to|unbiased|\bfair\b|proves",
    re.IGNORECASE,
)


def _healthy(kit: Any, **more: Any) -> Any:
    """400 rows whose probabilities come true as often as they say, 100 at each of four."""
    score = np.repeat([0.1, 0.3, 0.7, 0.9], 100) + np.tile(np.arange(100) - 49.5, 4) * 1e-5
    actual = [int(i % 10 < d) for d in (1, 3, 7, 9) for i in range(100)]
    return kit.view(actual, score=score, **more)


def test_a_healthy_run_draws_nothing(kit: Any) -> None:
    facts = kit.run(_healthy(kit), METRICS)
    assert find_cautions(facts) == []


def test_two_healthy_models_and_subgroups_draw_no_warning(kit: Any) -> None:
    groups = {"sex": ["f", "m"] * 200}
    views = [_healthy(kit, model=name, groups=groups) for name in ("a", "b")]
    assert find_cautions(kit.run(views, METRICS)) == []


def test_no_rows_and_no_views_draw_nothing(kit: Any) -> None:
    assert find_cautions(kit.run([])) == []
    empty = find_cautions(kit.run(kit.view([], score=[]), ["accuracy", "recall"]))
    assert {record.code for record in empty} <= {"headline_alone"}


def test_every_caution_says_why_and_what_to_read_instead() -> None:
    assert len(rows()) == len(catalogue()) == len(known_codes()) >= 40
    for row in rows():
        assert all(row.values()), row
        assert re.fullmatch(r"[a-z0-9_]+", row["code"])
        assert row["severity"] in ("note", "warning")
        assert not any(NEVER.search(text) for text in row.values()), row
        assert not row["why"].endswith(".")
        assert not row["title"].endswith(".")


def test_records_hold_the_fields_of_the_contract_and_are_json(kit: Any) -> None:
    facts = kit.run(kit.from_counts(95, 0, 5, 0), ["accuracy"])
    found = find_cautions(facts)
    assert found
    for record in found:
        assert set(encode(record)) >= CONTRACT
        assert record.message.endswith(".")
        assert record.message == record.message.strip()
        assert not NEVER.search(record.message)
    json.dumps([encode(record) for record in found], allow_nan=False)


def test_a_code_is_declared_once() -> None:
    with pytest.raises(ValueError, match="'imbalance' is declared twice"):
        caution("imbalance", severity="note", title="t", why="w", read_instead="r")(
            lambda _: iter(())
        )
    assert CAUTIONS["imbalance"].title == "One class is rare"


def test_numbers_of_records_are_plain() -> None:
    declared = CAUTIONS["imbalance"]
    found = Caution("x.", numbers={"b": np.int64(3), "a": np.float64("nan"), "c": 0.5})
    numbers = declared.record(found).numbers
    assert list(numbers.items()) == [("a", None), ("b", 3), ("c", 0.5)]
    assert type(numbers["b"]) is int


def test_a_switched_off_caution_is_a_note_with_its_reason(kit: Any) -> None:
    facts = kit.run(kit.from_counts(95, 0, 5, 0), ["accuracy"])
    off = {"headline_alone": "Agreed with the client.", "roc_curves_cross": "one model"}
    found = {r.code: r for r in find_cautions(facts, off) if r.code in off}
    assert found["headline_alone"].severity == "note"
    assert found["headline_alone"].message == (
        "Switched off in the spec (it applies in 1 place). "
        "The reason given: Agreed with the client."
    )
    assert "it does not apply here" in found["roc_curves_cross"].message
    assert sum(r.code == "headline_alone" for r in find_cautions(facts, off)) == 1


def test_an_unknown_code_is_refused_with_the_nearest(kit: Any) -> None:
    with pytest.raises(SpecError, match="did you mean 'multiplicity'") as refused:
        find_cautions(kit.run([]), {"multiplicty": "x", "zzz": "y"})
    assert len(refused.value.problems) == 2
    assert code_problem("multiplicity") is None


def test_warnings_come_first_and_the_order_is_fixed(kit: Any) -> None:
    views = [
        kit.from_counts(3, 5, 1, 91, model=model, dataset=dataset)
        for dataset in ("z", "a")
        for model in ("q", "b")
    ]
    facts = kit.run(views, ["accuracy", "recall", "precision", "kappa"])
    found = find_cautions(facts)
    ranks = [record.severity for record in found]
    assert ranks == sorted(ranks, reverse=True)
    assert found == find_cautions(facts)
    (few,) = [r for r in found if r.code == "few_rows_of_class"]
    assert few.message.startswith("z and a: Class yes has 8 actual rows")


def test_one_fact_is_one_caution_with_its_models(kit: Any) -> None:
    """Five models that always say yes, on rows of which 40 are: three are spelt out."""
    views = [kit.from_counts(40, 0, n, 0, model=f"m{n}") for n in (60, 61, 62, 63, 64)]
    (record,) = [r for r in find_cautions(kit.run(views, ["recall"])) if r.code == "one_prediction"]
    assert record.message == (
        "m60: Every row is predicted yes: 100 of 100. "
        "m61: Every row is predicted yes: 101 of 101. "
        "m62: Every row is predicted yes: 102 of 102. Likewise m63 and m64."
    )
    assert record.models == ("m60", "m61", "m62", "m63", "m64")
    alike = [kit.from_counts(40, 0, 60, 0, model=name) for name in ("a", "b")]
    (record,) = [r for r in find_cautions(kit.run(alike, ["recall"])) if r.code == "one_prediction"]
    assert record.message == "a and b: Every row is predicted yes: 100 of 100."


def test_what_another_caution_says_is_left_out_unless_that_is_switched_off(kit: Any) -> None:
    """Always yes: that accuracy is no better than naming yes follows from it."""
    facts = kit.run(kit.from_counts(95, 0, 5, 0), ["accuracy"])
    codes = [record.code for record in find_cautions(facts)]
    assert "one_prediction" in codes
    assert "majority_class" not in codes
    off = find_cautions(facts, {"one_prediction": "known"})
    assert "majority_class" in [record.code for record in off]
    every = {declared.code: declared for declared in catalogue()}
    assert all(code in every for declared in every.values() for code in declared.unless)


def test_the_catalogue_is_complete() -> None:
    """Every module of the package that declares cautions is in the list."""
    assert {c.check.__module__.rsplit(".", 1)[1] for c in CAUTIONS.values()} <= set(
        catalogue_module.DECLARING
    )
