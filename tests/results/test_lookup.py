"""How records are found: by kind, by id, by which number they are of."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest
from ready_specs import CONFIGS
from results.test_codec import written

from evalreport.results import records
from evalreport.results.codec import decode
from evalreport.results.identity import Quantity, WhichNumber
from evalreport.results.lookup import Results, parts
from evalreport.results.records import Drift, Gap, Measure, Table


@pytest.fixture(scope="module")
def content() -> dict[str, Any]:
    return written(next(path for path in CONFIGS if path.stem == "breast_cancer"))


@pytest.fixture(scope="module")
def results(content: dict[str, Any]) -> Results:
    return decode(content)


def test_records_are_found_by_kind(results: Results) -> None:
    assert results.of(Measure) is results.measures
    assert len(results.of(Gap)) == len(results.subgroup_gaps or ())
    assert results.drift is None
    assert results.of(Drift) == ()
    with pytest.raises(KeyError):
        results.of(records.Interval)


def test_every_list_of_results_is_found_by_the_kind_of_its_records() -> None:
    plain = {"schema", "title", "spec"}
    assert set(parts().values()) == {one.name for one in dataclasses.fields(Results)} - plain


def test_records_are_found_by_id(results: Results) -> None:
    measure = results.measures[3]
    assert results.measure(measure.id) is measure
    table = results.table(str(measure.table))
    assert isinstance(table, Table)
    assert table.where == measure.where
    assert results.has_table(table.id)
    assert not results.has_table(None)
    assert not results.has_measure("m0")
    assert results.curve(results.curves[0].id) is results.curves[0]
    with pytest.raises(KeyError):
        results.measure("m0")


def test_every_measure_is_found_by_which_number_it_is(results: Results) -> None:
    assert len({m.which for m in results.measures}) == len(results.measures)
    for measure in results.measures:
        assert results.number(measure.which) is measure
    assert results.number(WhichNumber("nowhere", "m", "recall")) is None


def test_records_of_the_same_number_have_the_same_key(results: Results) -> None:
    """Gaps name the measure of their group: its key follows from the gap's own fields."""
    gaps = results.of(Gap)
    assert gaps
    for gap in gaps:
        measure = results.measure(gap.measure)
        own = dataclasses.replace(measure.which, indeterminate=None)
        assert WhichNumber.of(gap) == own
        against = dataclasses.replace(
            WhichNumber.of(gap), subgroup=tuple(sorted(gap.against_subgroup.items()))
        )
        assert results.measure(gap.against_measure).which == against


def test_measures_are_chosen_by_their_fields(results: Results) -> None:
    found = list(results.measures_of(metric="recall", fold=None, subgroup={}))
    assert found
    assert all(m.metric == "recall" and not m.subgroup for m in found)


def test_the_text_of_a_key_is_that_of_earlier_releases(
    results: Results, content: dict[str, Any]
) -> None:
    """History and differences are sorted by it."""
    for measure, record in zip(results.measures, content["measures"], strict=True):
        rule = record["threshold_rule"]
        parts = [
            record["dataset"],
            record["model"],
            sorted(record["subgroup"].items()),
            record["fold"],
            record["metric"],
            sorted(record["params"].items()),
            record["average"],
            record["label"],
            rule if rule is not None else record["threshold"],
            record.get("indeterminate"),
        ]
        assert measure.which.text() == json.dumps(parts, ensure_ascii=False, sort_keys=True)


def test_a_rule_is_the_same_number_whatever_it_finds() -> None:
    one = WhichNumber("d", "m", "recall", threshold=0.31, rule="maximize youden_j")
    other = dataclasses.replace(one, threshold=0.37)
    assert one != other
    assert one.series == other.series
    plain = WhichNumber("d", "m", "recall", threshold=0.31)
    assert plain.series != dataclasses.replace(plain, threshold=0.37).series


def test_what_is_measured_does_not_depend_on_where() -> None:
    one = WhichNumber("d", "m", "fbeta", (("beta", "2.0"),), "macro", None, (("sex", "F"),), "1")
    assert one.quantity == Quantity("fbeta", (("beta", "2.0"),), "macro", None, None)
    assert one.place == ("d", "m")
    assert str(one.rows) == "sex = F, fold 1"
    assert one.on(WhichNumber("d", "m", "x").rows).quantity == one.quantity
