"""Planning against a reference on the same rows: enumeration, published sizes, and the errors."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar

from evalreport.cli import status_of
from evalreport.design.study import StudyDesign, plan_study
from evalreport.errors import SpecError
from evalreport.spec.load import parse_spec
from evalreport.statistics.paired import newcombe, pair_chances
from evalreport.statistics.power import mcnemar_power

ACCURACY = {"accuracy": 0.9, "recall": 0.9, "prevalence": 0.5}


def planned(acceptance: list[dict[str, Any]], **more: Any) -> StudyDesign:
    spec: dict[str, Any] = {
        "evalreport": 1,
        "datasets": {"d": {"path": "there_is_none.csv", "target": "y"}},
        "models": {"new": {"score": "p"}, "old": {"score": "q"}},
        "metrics": sorted({str(one["metric"]) for one in acceptance}),
        "acceptance": acceptance,
        **{key: more.pop(key) for key in ("comparisons", "confidence") if key in more},
        "design": more,
    }
    return plan_study(parse_spec(json.dumps(spec)))


def against(value: float, metric: str = "accuracy", **told: float) -> dict[str, Any]:
    return {"old": {metric: {"value": value, **told}}}


def tables(n: int, chances: tuple[float, ...]) -> Any:
    """Every table of ``n`` pairs with its chance."""
    for both in range(n + 1):
        for first in range(n + 1 - both):
            for second in range(n + 1 - both - first):
                cells = (both, first, second, n - both - first - second)
                yield cells, float(stats.multinomial.pmf(cells, n, chances))


@pytest.mark.long_but_first
@pytest.mark.parametrize("bound", ["lower", "point"])
def test_the_rule_of_the_criterion_against_every_table(bound: str) -> None:
    ask = [{"metric": "accuracy", "model": "new", "reference": "old", "bound": bound,
            "margin": 0.08}]  # fmt: skip
    found = planned(ask, expect=ACCURACY, rows=22,
                    references=against(0.8, discordance=0.16)).criteria[0]  # fmt: skip
    total = 0.0
    for cells, chance in tables(22, (0.77, 0.13, 0.03, 0.07)):
        both, first, second, neither = cells
        limits = newcombe(both, first, second, neither, 0.95)
        assert limits is not None
        held = limits.low if bound == "lower" else (first - second) / 22
        total += chance * (held >= -0.08)
    assert found.at_rows is not None
    assert found.at_rows.error is not None
    assert found.at_rows.power == pytest.approx(total, abs=4 * found.at_rows.error)
    # a margin is no matter of a test of no difference
    assert found.test is None


@pytest.mark.long
def test_of_a_loss_the_difference_is_small() -> None:
    ask = [{"metric": "fnr", "model": "new", "reference": "old", "bound": "upper"}]
    design = planned(ask, expect={"recall": 0.9, "prevalence": 0.4}, rows=300,
                     references=against(0.2, "fnr", discordance=0.2))  # fmt: skip
    same = planned([{"metric": "recall", "model": "new", "reference": "old", "bound": "lower"}],
                   expect={"recall": 0.9, "prevalence": 0.4}, rows=300,
                   references=against(0.8, "recall", discordance=0.2))  # fmt: skip
    one, other = design.criteria[0].at_rows, same.criteria[0].at_rows
    assert one is not None
    assert other is not None
    assert one.power == pytest.approx(other.power, abs=0.03)
    assert 0.3 < one.power < 0.9


@pytest.mark.long
def test_mcnemar_with_the_positives_left_to_chance() -> None:
    """Every number of positives and of discordant pairs, judged by statsmodels."""
    ask = [{"metric": "recall", "model": "new", "reference": "old", "bound": "lower"}]
    design = planned(ask, expect={"recall": 0.9, "prevalence": 0.3}, rows=60,
                     references=against(0.6, "recall", discordance=0.34))  # fmt: skip
    found = design.criteria[0].test
    assert found is not None
    assert found.at_rows is not None
    assert (found.name, found.alpha, found.at_rows.error) == ("mcnemar_exact", 0.05, None)
    total = 0.0
    for positives in range(61):
        weight = stats.binom.pmf(positives, 60, 0.3)
        for d in range(min(positives, 40) + 1):
            for first in range(d + 1):
                if _p_value(first, d - first) <= 0.05:
                    total += weight * stats.binom.pmf(d, positives, 0.34) * stats.binom.pmf(
                        first, d, 0.32 / 0.34
                    )  # fmt: skip
    assert found.at_rows.power == pytest.approx(total, abs=1e-7)


_KNOWN: dict[tuple[int, int], float] = {}


def _p_value(first: int, second: int) -> float:
    if (first, second) not in _KNOWN:
        table = np.array([[0, first], [second, 0]])
        _KNOWN[first, second] = float(mcnemar(table, exact=True).pvalue) if table.any() else 1.0
    return _KNOWN[first, second]


def test_power_that_is_published() -> None:
    """O'Brien 2002 (also the example of G*Power): 0.32 and 0.08, 50 pairs, one-sided 0.05."""
    both_sides = mcnemar_power(50, 0.32, 0.08, 0.10)
    # the other side, which a one-sided test does not have, is reached with a chance of 2e-5
    assert both_sides == pytest.approx(0.839343, abs=2e-5)


@pytest.mark.long_but_first
@pytest.mark.parametrize(
    ("value", "discordance"), [(0.8, 0.2), (0.75, 0.25), (0.85, 0.07), (0.85, 0.15)]
)
def test_sizes_near_the_formulas(value: float, discordance: float) -> None:
    """Of the test by chi-square near Miettinen 1968; Connor 1987 lies below that of the exact.

    With d the difference and D the discordance, Miettinen: (z D + z' sqrt(D^2 - d^2 (3 + D) / 4))^2
    / (D d^2); Connor, a little larger: (z sqrt(D) + z' sqrt(D - d^2))^2 / d^2.
    """
    d, both, z, power = 0.9 - value, discordance, 1.959964, 0.841621
    miettinen = (z * both + power * math.sqrt(both**2 - d**2 * (3 + both) / 4)) ** 2 / both / d**2
    connor = (z * math.sqrt(both) + power * math.sqrt(both - d**2)) ** 2 / d**2
    needed = {}
    for name in ("mcnemar", "mcnemar_exact"):
        test = (
            planned(
                [{"metric": "accuracy", "model": "new", "reference": "old"}],
                expect=ACCURACY,
                references=against(value, discordance=discordance),
                comparisons={"reference": "old", "tests": {"accuracy": name}},
            )
            .criteria[0]
            .test
        )
        assert test is not None
        assert test.needed is not None
        assert test.denominator_needed == test.needed
        needed[name] = test.needed
    assert needed["mcnemar"] == pytest.approx(miettinen, rel=0.04)
    assert needed["mcnemar"] < connor < needed["mcnemar_exact"]


def test_correlation_says_the_same_as_discordance() -> None:
    cells = pair_chances(0.9, 0.8, correlation=0.5)
    first = np.array([1, 1, 0, 0])
    second = np.array([1, 0, 1, 0])
    weights = np.array(cells)
    covariance = (weights * (first - 0.9) * (second - 0.8)).sum()
    assert covariance / math.sqrt(0.9 * 0.1 * 0.8 * 0.2) == pytest.approx(0.5)
    again = pair_chances(0.9, 0.8, discordance=cells.only_first + cells.only_second)
    assert again == pytest.approx(cells)


@pytest.mark.long
def test_together_they_are_judged_on_the_same_draws() -> None:
    """Two rules on the same pairs, one weaker: together as likely as the stronger alone."""
    ask = [
        {"metric": "accuracy", "model": "new", "reference": "old", "bound": "lower"},
        {"metric": "accuracy", "model": "new", "reference": "old", "bound": "point"},
    ]
    design = planned(ask, expect=ACCURACY, rows=120, references=against(0.8, discordance=0.2))
    assert design.joint is not None
    assert design.criteria[0].at_rows is not None
    assert design.joint.power == design.criteria[0].at_rows.power


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"metric": "recall", "reference": "old"}, "nothing is assumed of the reference"),
        ({"metric": "roc_auc", "reference": "old"}, "{roc_auc: {value: ..., correlation: ...}}"),
        ({"metric": "precision", "reference": "old"}, "{recall: {value: ..., discordance: ...}}"),
        ({"metric": "f1", "reference": "old"}, "not for f1"),
        ({"metric": "accuracy", "reference": {"run": "earlier"}}, "other rows"),
    ],
)
def test_what_is_not_planned_is_named(asked: dict[str, Any], said: str) -> None:
    found = planned([asked], expect=ACCURACY, references=against(0.8, discordance=0.2))
    assert said in str(found.criteria[0].reason)
    assert said in str(found.joint_reason)


SPEC = """evalreport: 1
title: Reader aid
datasets: {d: {path: none.csv, target: y}}
models: {new: {score: p}, old: {score: q}}
metrics: [recall]
acceptance: [{metric: recall, model: new, reference: old, bound: lower}]
design:
  expect: {recall: 0.9, prevalence: 0.5}
  references:
    old: {recall: {value: 0.8, discordance: 0.2}}
  rows: 150
"""


@pytest.mark.long
def test_terminal_json_and_protocol(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "spec.yaml").write_text(SPEC)
    folder = tmp_path / "protocol"
    arguments = ["design", str(tmp_path / "spec.yaml"), "-o", str(folder), "--formats", "html"]
    assert status_of([*arguments, "--at", "2026-02-01"]) == 0
    out = capsys.readouterr().out
    body = json.loads((folder / "protocol.json").read_text())
    test = body["criteria"][0]["test"]
    assert body["references"] == {"old": {"recall": {"value": 0.8, "discordance": 0.2}}}
    assert "reference old: recall value 0.8, discordance 0.2" in out
    assert "tested for any difference by mcnemar exact, alpha 0.05" in out
    assert f"    rows for a power of 0.8: {test['needed']}" in out
    assert f"    of them below the line of the share: {test['denominator_needed']}" in out
    page = (folder / "protocol.html").read_text()
    assert "recall of old" in page
    assert "test of any difference" in page
    assert f"{100 * test['at_rows']['power']:.1f}" in page


@pytest.mark.parametrize(
    ("old", "new", "said", "place"),
    [
        ("    old: {recall", "    odl: {recall", "did you mean 'old'", "10:5"),
        ("old: {recall", "old: {recal", "did you mean 'recall'", "10:11"),
        ("old: {recall", "old: {f1", "not a share of rows", "10:11"),
        ("old: {recall", "old: {precision", "follows from them", "10:11"),
        ("old: {recall", "old: {roc_auc", "of the rows of one class", "10:"),
        ("discordance: 0.2", "discordence: 0.2", "discordance", "10:"),
        ("discordance: 0.2", "discordance: 0.5", "a discordance from 0.1 to 0.3", "10:"),
        ("discordance: 0.2", "correlation: 0.9", "a correlation from", "10:"),
        (", discordance: 0.2", "", "how often the two differ", "10:"),
        ("target: y}", "target: y, id: case, readers: who}", "nothing is assumed of them", "3:"),
        ("discordance: 0.2", "discordance: 0.2, correlation: 0", "one follows", "10:"),
    ],
)
def test_mistakes_have_their_place(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    old: str,
    new: str,
    said: str,
    place: str,
) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text(SPEC.replace(old, new))
    assert status_of(["design", str(path)]) == 2
    told = capsys.readouterr().err
    assert said in told
    assert f"spec.yaml:{place}" in told


def test_values_that_only_follow_are_held_to_it_too() -> None:
    with pytest.raises(SpecError, match="do not go with it"):
        planned(
            [{"metric": "accuracy", "model": "new", "reference": "old"}],
            expect={"recall": 0.9, "specificity": 0.9, "prevalence": 0.5},
            references=against(0.8, discordance=0.05),
        )


@pytest.mark.long
def test_what_is_assumed_for_nothing_is_said() -> None:
    ask = [{"metric": "accuracy", "model": "new", "reference": "old", "bound": "lower"}]
    assumed = {"old": {name: {"value": 0.8, "discordance": 0.2} for name in ("accuracy", "recall")}}
    notes = planned(ask, expect=ACCURACY, rows=50, references=assumed).notes
    assert notes == ("No criterion compares recall with old: what is assumed of it is not used.",)
