"""Planning for several readers: published sizes, drawn studies, and what the command tells."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from evalreport.cli import status_of
from evalreport.design.study import Planned, plan_study
from evalreport.errors import SpecError
from evalreport.spec.load import parse_spec
from evalreport.statistics import readers
from evalreport.statistics.power import binormal_variance
from evalreport.statistics.reader_power import (
    Spread,
    degrees_of_freedom,
    limit_power,
    point_power,
    power_of_test,
)

# Two ways of reading, five readers of 114 cases (Van Dyke and others 1993): the difference and
# the jackknife covariances as MRMCaov prints them.
DIFFERENCE, MEAN_SQUARE = 0.0438003, 0.00055103062
COVARIANCES = {"variance": 0.0008022883, "same_reader": 0.0003466137,
               "same_modality": 0.0003440748, "neither": 0.0002390284}  # fmt: skip
INTERACTION = MEAN_SQUARE - (0.0008022883 - 0.0003466137) + (0.0003440748 - 0.0002390284)
SPEC: dict[str, Any] = {
    "evalreport": 1,
    "title": "Two ways of reading",
    "datasets": {"study": {"path": "none.csv", "target": "y", "id": "case", "readers": "who"}},
    "models": {"new": {"score": "a"}, "old": {"score": "b"}},
    "metrics": ["roc_auc", "recall", "specificity", "accuracy"],
    "acceptance": [{"metric": "roc_auc", "model": "new", "reference": "old", "bound": "lower"}],
    "design": {
        "expect": {"roc_auc": 0.9, "prevalence": 0.4, "recall": 0.85, "specificity": 0.8},
        "power": 0.8,
        "readers": {
            "number": 6,
            "cases": 112,
            "measures": {
                "roc_auc": {
                    "between": 0.03,
                    "differences": (2.0 * INTERACTION) ** 0.5,
                    "references": {"old": 0.9 - DIFFERENCE},
                    "covariances": {"cases": 114, **COVARIANCES},
                },
                "recall": {"between": 0.05, "correlations": {"same_modality": 0.3}},
            },
        },
    },
}


def spec(**acceptance: Any) -> dict[str, Any]:
    found = copy.deepcopy(SPEC)
    if acceptance:
        found["acceptance"] = [acceptance]
    return found


def planned(asked: dict[str, Any]) -> Planned:
    return plan_study(parse_spec(json.dumps(asked))).criteria[0]


def refused(asked: dict[str, Any]) -> str:
    with pytest.raises(SpecError) as caught:
        plan_study(parse_spec(json.dumps(asked)))
    return "\n".join(map(str, caught.value.problems))


# -- the mathematics ----------------------------------------------------------------------------


def test_power_of_the_test_as_published() -> None:
    """RJafroc for these data, 6 readers, 112 cases: 0.5555789, ncp 4.8, 23.1 degrees of freedom."""
    scale = 114 / 112
    error = COVARIANCES["variance"] - COVARIANCES["same_reader"]
    shared = COVARIANCES["same_modality"] - COVARIANCES["neither"]
    spread = Spread(INTERACTION, scale * error, scale * shared, sides=2)
    assert power_of_test(DIFFERENCE, spread, 6, 0.05) == pytest.approx(0.5555789, abs=2e-6)
    assert degrees_of_freedom(spread, 6) == pytest.approx(23.1, abs=0.05)
    assert (DIFFERENCE / spread.standard_deviation(6)) ** 2 == pytest.approx(4.8, abs=0.005)


def test_sizes_as_published() -> None:
    """The same package finds 251 cases for a power of 0.8 with 6 readers."""
    found = planned(spec())
    assert found.reader_test is not None
    assert found.reader_test.sizes.planned is not None
    assert found.reader_test.sizes.planned.power == pytest.approx(0.5555789, abs=2e-6)
    assert found.reader_test.sizes.cases_needed == 251
    assert dict(found.reader_test.sizes.pairs)[6] == 251
    # the criterion looks at one limit, with the spread of its own degrees of freedom
    assert found.readers is not None
    assert found.readers.planned is not None
    assert found.readers.planned.power == pytest.approx(0.5555789, abs=0.005)


@pytest.mark.parametrize("sides", [1, 2])
@pytest.mark.parametrize(
    ("count", "between", "shared", "random"),
    [
        (2, 0.0004, 0.0003, {}),
        (4, 0.0009, 0.0001, {}),
        (8, 0.0001, 0.0004, {}),
        (6, 0.0, -0.0001, {}),
        (5, 0.0004, 0.0003, {"random_readers": False}),
        (5, 0.0004, 0.0003, {"random_cases": False}),
    ],
)
def test_power_of_a_limit_against_drawn_studies(
    sides: int, count: int, between: float, shared: float, random: dict[str, bool]
) -> None:
    """The rule of the run itself on drawn values of readers: within four standard errors."""
    draws, distance, error = 2500, 0.05, 0.0008
    spread = Spread(between, error, shared, sides, **random)
    rng = np.random.default_rng([sides, count])
    own = spread.between * random.get("random_readers", True) + error - shared
    covariance = sides * (own * np.eye(count) + shared)
    if not random.get("random_cases", True):
        covariance = sides * own * np.eye(count)
    values = rng.multivariate_normal(np.full(count, distance), covariance, draws)
    # of two modalities: the covariances that leave these for the difference
    covariances = readers.Covariances(error, 0.0, shared, 0.0)
    passed = 0
    for one in values:
        if sides == 1:
            mean = readers.of_one_modality(one, shared, error, **random)
        else:
            mean = readers.difference(one, np.zeros(count), covariances, **random)
        passed += mean.interval(0.95).low > 0.0
    expected = limit_power(distance, spread, count, 0.95)
    assert passed / draws == pytest.approx(expected, abs=4 * (0.25 / draws) ** 0.5)


def test_corners() -> None:
    nothing = Spread(0.0, 0.0, 0.0)
    assert limit_power(0.1, nothing, 3, 0.95) == point_power(0.1, nothing, 3) == 1.0
    assert limit_power(-0.1, nothing, 3, 0.95) == point_power(-0.1, nothing, 3) == 0.0
    assert power_of_test(0.1, nothing, 3, 0.05) == 1.0
    some = Spread(0.0004, 0.0008, 0.0003)
    assert limit_power(0.1, some, 1, 0.95) == power_of_test(0.1, some, 1, 0.05) == 0.0
    assert point_power(0.0, some, 5) == 0.5
    fixed = Spread(0.0004, 0.0008, 0.0003, random_readers=False)
    z = 0.05 / fixed.standard_deviation(5)
    assert power_of_test(0.05, fixed, 5, 0.05) == pytest.approx(
        stats.norm.sf(1.959963985 - z) + stats.norm.cdf(-1.959963985 - z), abs=1e-9
    )
    assert power_of_test(0.0, some, 5, 0.05) == pytest.approx(0.05, abs=1e-9)


# -- the study ----------------------------------------------------------------------------------


def test_a_share_over_readers_by_hand() -> None:
    """Recall 0.85 on 40 % of 112 cases: the variance of a reading is 0.85 x 0.15 / 44.8."""
    found = planned(spec(metric="recall", model="new", at_least=0.75, bound="lower"))
    assert found.readers is not None
    assert found.readers.planned is not None
    error = 0.85 * 0.15 / (112 * 0.4)
    assert (found.expected, found.readers.error) == (pytest.approx(0.85), pytest.approx(error))
    spread = Spread(0.05**2, error, 0.3 * error)
    assert found.readers.planned.power == pytest.approx(limit_power(0.1, spread, 6, 0.95))
    assert found.reader_test is None
    upper = planned(spec(metric="recall", model="new", at_least=0.75, bound="upper"))
    assert upper.readers is not None
    assert upper.readers.planned is not None
    assert upper.readers.planned.power == pytest.approx(1 - limit_power(-0.1, spread, 6, 0.95))
    value = planned(spec(metric="recall", model="new", at_least=0.75))
    assert value.readers is not None
    assert value.readers.planned is not None
    assert value.readers.planned.power == pytest.approx(point_power(0.1, spread, 6))


def test_the_area_of_correlated_readings() -> None:
    asked = spec(metric="roc_auc", model="new", at_least=0.8, bound="lower")
    own = asked["design"]["readers"]["measures"]["roc_auc"]
    del own["covariances"]
    own["correlations"] = {"same_modality": 0.4}
    found = planned(asked)
    assert found.readers is not None
    variance = binormal_variance(0.9, 44.8, 67.2)
    assert (found.readers.error, found.readers.shared) == pytest.approx((variance, 0.4 * variance))
    # clusters of cases are worth fewer cases
    asked["design"]["clusters"] = {"size": 3, "correlation": 0.5}
    fewer = planned(asked)
    assert fewer.readers is not None
    assert fewer.readers.error == pytest.approx(binormal_variance(0.9, 22.4, 33.6))
    # these readers alone: what they differ by does not count
    asked["datasets"]["study"]["readers"] = {"column": "who", "random": ["cases"]}
    del own["between"]
    alone = planned(asked)
    assert alone.readers is not None
    assert alone.readers.planned is not None
    assert fewer.readers.planned is not None
    assert alone.readers.planned.power > fewer.readers.planned.power


def test_more_cases_do_not_help_readers_who_differ() -> None:
    asked = spec(metric="recall", model="new", at_least=0.84, bound="lower")
    found = planned(asked).readers
    assert found is not None
    assert dict(found.pairs)[3] is None
    assert found.cases_needed is None


def test_readers_that_the_planned_cases_take() -> None:
    found = planned(spec(metric="recall", model="new", at_least=0.75, bound="lower")).readers
    assert found is not None
    needed, error = found.readers_needed, 0.85 * 0.15 / (112 * 0.4)
    assert needed is not None
    spread = Spread(0.05**2, error, 0.3 * error)
    assert (
        limit_power(0.1, spread, needed, 0.95) >= 0.8 > limit_power(0.1, spread, needed - 1, 0.95)
    )


@pytest.mark.parametrize(
    ("criterion", "told"),
    [
        ({"metric": "accuracy", "model": "new", "at_least": 0.8}, "only recall, specificity"),
        ({"metric": "specificity", "model": "new", "at_least": 0.8}, "has no specificity"),
        ({"metric": "recall", "model": "new", "reference": "old"}, "no true value of old"),
    ],
)
def test_what_cannot_be_planned_is_told(criterion: dict[str, Any], told: str) -> None:
    found = planned(spec(**criterion))
    assert told in str(found.reason)
    assert found.readers is None


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda m: m["roc_auc"].pop("differences"), "has no differences of it"),
        (lambda m: m["roc_auc"]["covariances"].pop("neither"), "a difference needs them"),
    ],
)
def test_what_a_difference_needs_is_told(change: Any, told: str) -> None:
    asked = spec()
    change(asked["design"]["readers"]["measures"])
    assert told in str(planned(asked).reason)


def test_what_the_expected_values_leave_open_is_told() -> None:
    asked = spec(metric="recall", model="new", at_least=0.75, bound="lower")
    del asked["design"]["expect"]["prevalence"]
    assert "no prevalence" in str(planned(asked).reason)
    del asked["design"]["expect"]["recall"]
    assert "leaves its true value open" in str(planned(asked).reason)
    area = spec()
    del area["design"]["expect"]["roc_auc"]
    assert "has no roc_auc" in str(planned(area).reason)


def test_a_perfect_model_has_no_size() -> None:
    asked = spec(metric="roc_auc", model="new", at_least=0.8, bound="lower")
    asked["design"]["expect"]["roc_auc"] = 1.0
    own = asked["design"]["readers"]["measures"]["roc_auc"]
    del own["covariances"]
    own["correlations"] = {"same_modality": 0.4}
    found = planned(asked)
    assert "readings do not vary" in str(found.reason)
    assert found.readers is None


def test_wrong_assumptions_are_refused_where_they_stand() -> None:
    asked = spec()
    own = asked["design"]["readers"]["measures"]
    told = own["roc_auc"]["covariances"]
    own["recall"]["correlations"] = {"same_modality": 0.3, "same_reader": 0.5, "neither": 0.4}
    assert "at most 0.3" in refused(asked)
    own["recall"] = {"between": 0.05}
    assert "how similar readings" in refused(asked)
    own["recall"] = {"correlations": {"same_modality": 0.3}, "covariances": told}
    assert "one follows from the other" in refused(asked)
    own["recall"] = {"correlations": {"same_modality": 0.3}}
    own["recal"] = own.pop("recall")
    assert "did you mean 'recall'" in refused(asked)
    asked = spec()
    readers_ = asked["design"].pop("readers")
    assert "nothing is assumed of them" in refused(asked)
    asked["design"]["readers"] = readers_
    del asked["datasets"]["study"]["readers"]
    assert "no dataset has readers" in refused(asked)


@pytest.mark.long
def test_terminal_json_and_protocol(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = spec()
    asked["acceptance"] += [
        {"metric": "recall", "model": "new", "at_least": 0.75, "bound": "lower"},
        {"metric": "accuracy", "model": "new", "at_least": 0.75},
    ]
    path = tmp_path / "study.yaml"
    path.write_text(json.dumps(asked), encoding="utf-8")
    out = str(tmp_path / "plan")
    assert status_of(["design", str(path), "-o", out, "--formats", "html"]) == 0
    said = capsys.readouterr().out
    assert "power with 6 readers of 112 cases: 0.556" in said
    assert "cases for a power of 0.8 with these readers: 251" in said
    assert "6 x 251" in said
    assert "not given: over readers only recall" in said
    assert "how measures of the same readings depend on each other is not assumed" in said
    page = (tmp_path / "plan" / "protocol.html").read_text(encoding="utf-8")
    for words in ("6 readers of 112 cases", "Readers that are assumed", "by the number of readers",
                  "Hillis, Obuchowski and Berbaum 2011", "251"):  # fmt: skip
        assert words in page, words
    body = json.loads((tmp_path / "plan" / "protocol.json").read_text(encoding="utf-8"))
    assert body["readers"]["number"] == 6
    assert body["criteria"][0]["reader_test"]["sizes"]["cases_needed"] == 251
    # all criteria pass at least so often as Bonferroni's inequality says
    asked["acceptance"] = asked["acceptance"][:2]
    study = plan_study(parse_spec(json.dumps(asked)))
    powers = [
        one.readers.planned.power for one in study.criteria if one.readers and one.readers.planned
    ]
    assert f"at least {1 - (1 - powers[0]) - (1 - powers[1]):.3f}" in str(study.joint_reason)
