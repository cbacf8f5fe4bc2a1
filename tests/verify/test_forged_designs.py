"""Forgeries of runs of every design: records taken out, added and moved, and changed fields.

Each change is of a whole results.json, as whoever forges it would also make pages and manifest
fit. What no record tells is on the list of ``evalreport verify --explain``.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest
from verify.forged_runs import RUNS, SECOND, results_of

from evalreport.verify.recompute import recompute
from evalreport.verify.verify import BEYOND

Results = dict[str, Any]


def told(forged: Results) -> tuple[Any, ...]:
    return recompute(forged).problems


@pytest.mark.parametrize("run", [*RUNS, *SECOND])
def test_an_honest_run_is_verified(run: str) -> None:
    assert told(results_of(run)) == ()


# -- records ------------------------------------------------------------------------------------

#: The parts of each run that are made again; of the others see LISTED.
PARTS = {
    "readers": "readers reader_differences reader_agreement score_pairs comparisons acceptance "
    "curves tables",
    "periods": "periods measures tables acceptance",
    "sets": "measures tables curves acceptance thresholds subgroup_gaps heterogeneity sample_size "
    "labels rows",
    "clusters": "comparisons reclassification score_pairs baselines against_baselines curves",
    "sampled": "comparisons measures",
    "panel": "comparisons omnibus reclassification score_pairs declared characteristics acceptance "
    "roc_relations sample_size baseline_tables against_baselines",
    "weights": "impact subgroup_gaps measures tables curves against_baselines",
    "impact": "impact heterogeneity sample_size",
    "search": "curves measures tables",
    "classes": "drift claims comparisons tables measures subgroup_gaps curves",
    "trained": "learning_curves measures comparisons score_pairs curves tables labels rows",
    "earlier": "comparisons acceptance references",
    "looks": "looks acceptance measures curves",
}


#: Where there is one record alone.
ONE = {
    ("readers", "score_pairs"), ("periods", "acceptance"), ("sets", "acceptance"),
    ("sets", "thresholds"), ("sets", "labels"), ("sets", "rows"), ("panel", "characteristics"),
    ("search", "curves"), ("earlier", "references"), ("classes", "claims"),
    ("trained", "score_pairs"), ("looks", "looks"), ("looks", "acceptance"),
}  # fmt: skip


def records() -> list[tuple[str, str, str]]:
    ways = ("first", "last", "twice", "all", "order")
    every = [
        (run, part, how) for run, parts in PARTS.items() for part in parts.split() for how in ways
    ]
    # one record has no order
    return [one for one in every if one[2] != "order" or one[:2] not in ONE]


@pytest.mark.nightly_but_each(3)
@pytest.mark.parametrize(("run", "part", "how"), records())
def test_a_record_taken_out_added_or_moved_is_found(run: str, part: str, how: str) -> None:
    forged = copy.deepcopy(results_of(run))
    own = forged[part]
    assert own
    if how == "first":
        del own[0]
    elif how == "last":
        del own[-1]
    elif how == "twice":
        own.append(copy.deepcopy(own[-1]))
    elif how == "all":
        forged[part] = []
    else:
        own.reverse()
        assert own != results_of(run)[part]
    assert told(forged)


# -- fields -------------------------------------------------------------------------------------

#: Fields of the first record of a part, each with the part of the run it is of.
FIELDS = """
readers: readers.title readers.metric readers.label readers.model readers.threshold
readers: readers.value readers.variance readers.same_modality readers.df readers.standard_error
readers: readers.interval.low readers.interval.high readers.interval.method readers.readings
readers: readers.crossed readers.readers.value readers.readers.positives readers.readers.negatives
readers: readers.readers.reader readers.readers.interval.low readers.readers.cells.fp
readers: readers.readers.cells.tn readers.covariance
readers: reader_differences.difference reader_differences.p_value reader_differences.statistic
readers: reader_differences.interval.low reader_differences.cross reader_differences.title
readers: reader_differences.reference reader_differences.values reader_differences.told_apart
readers: reader_agreement.readers reader_agreement.labels reader_agreement.model
readers: reader_agreement.coefficients.value reader_agreement.coefficients.interval.low
readers: reader_agreement.pairs.kappa reader_agreement.pairs.first reader_agreement.pairs.agreement
readers: comparisons.title comparisons.label comparisons.why comparisons.model comparisons.n
readers: acceptance.observed acceptance.outcome acceptance.readers
periods: periods.values periods.change_statistic periods.limits.centre periods.change.before
periods: periods.change.alarm periods.change.probability labels.kind labels.ties.threshold
sets: acceptance.text acceptance.required acceptance.observed acceptance.outcome labels.rule
sets: plan.tasks plan.planned.count plan.skipped.reason measures.label measures.value
sets: measures.interval.low measures.denominator subgroup_gaps.gap heterogeneity.p_value
sets: curves.points.tpr sample_size.width thresholds.threshold
clusters: comparisons.threshold comparisons.reference comparisons.p_value measures.interval.method
clusters: comparisons.interval.method comparisons.interval.level comparisons.test
clusters: reclassification.net reclassification.p_value reclassification.model
clusters: reclassification.test reclassification.threshold reclassification.events.net
sampled: comparisons.p_value comparisons.p_adjusted comparisons.difference comparisons.statistic
sampled: comparisons.interval.low comparisons.df comparisons.reference_value measures.value
panel: omnibus.statistic omnibus.p_value omnibus.models omnibus.metric omnibus.thresholds
panel: omnibus.title omnibus.df omnibus.totals omnibus.test omnibus.label omnibus.values omnibus.n
panel: reclassification.statistic reclassification.interval.low reclassification.events.up
panel: reclassification.rows reclassification.nonevents.n
panel: comparisons.hypothesis.p_value comparisons.hypothesis.margin comparisons.hypothesis.kind
panel: comparisons.family_tests comparisons.hypothesis.alpha comparisons.hypothesis.shown
panel: comparisons.hypothesis.p_adjusted
panel: comparisons.difference comparisons.model_value comparisons.joint_table.n10
panel: declared.value declared.measured declared.p_value declared.within declared.source
panel: characteristics.rows characteristics.models characteristics.columns.column
panel: characteristics.columns.groups.n acceptance.limits.low
panel: score_pairs.label score_pairs.threshold score_pairs.positives.rows score_pairs.model
panel: baselines.value against_baselines.outcome against_baselines.baseline_value
panel: roc_relations.crossing_count sample_size.rows_needed sample_size.half_width
weights: impact.categories.selection_rate impact.categories.impact_ratio impact.threshold
weights: impact.columns impact.categories.selected impact.smallest_share impact.label
weights: measures.value measures.formula measures.missing_bounds.high.value
weights: measures.interval.level measures.interval.method subgroup_gaps.gap subgroup_gaps.ratio
impact: impact.categories.interval.low impact.categories.p_value impact.categories.highest
impact: impact.categories.n impact.categories.table impact.categories.below_four_fifths
impact: measures.value heterogeneity.statistic heterogeneity.widest.gap subgroup_gaps.against
search: measures.reason tables.positive measures.value curves.points.precision
classes: drift.psi drift.psi_p_value drift.statistic drift.test drift.p_value drift.column
classes: drift.bins.rows drift.reference claims.value claims.observed claims.value_reproduced
classes: claims.outcome claims.measure claims.reason comparisons.title comparisons.paired
classes: comparisons.note comparisons.reference_dataset comparisons.difference
classes: measures.average measures.value tables.labels
trained: learning_curves.points.test.accuracy.mean learning_curves.points.train.accuracy.spread
trained: learning_curves.repeats learning_curves.points.size learning_curves.model
trained: measures.spread measures.repeats.mean comparisons.fold comparisons.model
trained: rows.used rows.read measures.id
earlier: comparisons.difference comparisons.p_value comparisons.model_value comparisons.title
earlier: comparisons.reference_run comparisons.why comparisons.interval.low comparisons.n
earlier: comparisons.p_adjusted comparisons.better acceptance.required acceptance.text
looks: looks.value looks.interval.low looks.boundary looks.spent looks.outcome looks.look
looks: looks.blocks.rows looks.alpha looks.planned looks.before acceptance.outcome
"""


def fields() -> list[tuple[str, str]]:
    lines = [line.partition(": ") for line in FIELDS.strip().splitlines()]
    return [(run, path) for run, _, paths in lines for path in paths.split()]


def changed(value: Any) -> Any:
    """Another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, str):
        return {"1": "2", "recall": "specificity", "pass": "fail"}.get(value, f"{value} or so")
    if isinstance(value, (int, float)):
        return value + 1 if isinstance(value, int) else 0.9 * value + 0.013
    if isinstance(value, list):
        return [changed(value[0]), *value[1:]] if value else ["one"]
    raise AssertionError(value)


def forge(found: Any, path: list[str]) -> bool:
    """Change the first field of a path that has a value; whether there was one."""
    if isinstance(found, list):
        return any(forge(one, path) for one in found)
    if not isinstance(found, dict) or path[0] not in found:
        return False
    inside = found[path[0]]
    if len(path) > 1:
        return forge(inside, path[1:])
    if inside is None:
        return False
    found[path[0]] = changed(inside)
    return True


@pytest.mark.nightly_but_each(4)
@pytest.mark.parametrize(("run", "path"), fields())
def test_a_changed_field_is_found(run: str, path: str) -> None:
    forged = copy.deepcopy(results_of(run))
    assert forge(forged, path.split(".")), "no record has a value there"
    assert told(forged)


#: A value in place of nothing: a reason, a note, a limit that nobody gave.
ADDED = """
readers: readers.reason readers.note reader_differences.note reader_agreement.note comparisons.note
clusters: comparisons.reason comparisons.interval_reason reclassification.reason
panel: comparisons.interval_reason omnibus.note omnibus.reason declared.reason
impact: impact.reason impact.median impact.threshold
weights: measures.reason impact.threshold_rule
classes: drift.reason drift.psi_reason claims.by claims.method
sets: thresholds.reason acceptance.reason
looks: acceptance.claim
"""


def added() -> list[tuple[str, str, str]]:
    lines = [line.partition(": ") for line in ADDED.strip().splitlines()]
    return [(run, *path.split(".")) for run, _, paths in lines for path in paths.split()]  # type: ignore[misc]


@pytest.mark.nightly_but_each(4)
@pytest.mark.parametrize(("run", "part", "name"), added())
def test_a_value_in_place_of_none_is_found(run: str, part: str, name: str) -> None:
    forged = copy.deepcopy(results_of(run))
    own = next(one for one in forged[part] if one.get(name) is None)
    own[name] = 0.5 if name in ("median", "threshold") else 1 if name == "claim" else "so it is"
    assert told(forged)


# -- forgeries that hide themselves ---------------------------------------------------------------


def without_pair(found: Results) -> None:
    """Both scores of two models, with the caution about them."""
    found["score_pairs"] = []
    found["cautions"] = [one for one in found["cautions"] if "score" not in one["message"]]


def better_reader(found: Results) -> None:
    """A reader who found one case more, with the value that follows from it."""
    own = next(one for one in found["readers"] if one["metric"] == "recall")["readers"][0]
    own["cells"]["tp"] += 1
    own["cells"]["fn"] -= 1
    own["value"] = own["cells"]["tp"] / (own["cells"]["tp"] + own["cells"]["fn"])


def other_reader(found: Results) -> None:
    """A reader's name in place of another's, wherever it stands."""
    found.update(re_named(found, '"r1"', '"r9"', of=("readers",)))


def re_named(found: Results, old: str, new: str, of: tuple[str, ...]) -> Results:
    return {part: json.loads(json.dumps(found[part]).replace(old, new)) for part in of}


def swapped_months(found: Results) -> None:
    """Two months in each other's place, wherever they are named but in the text of the spec."""
    kept = found["provenance"]
    text = json.dumps({key: one for key, one in found.items() if key != "provenance"})
    text = text.replace("2026-02", "2026-??").replace("2026-03", "2026-02")
    found.update(json.loads(text.replace("2026-??", "2026-03")))
    found["provenance"] = kept


def lower_requirement(found: Results) -> None:
    """A requirement that is met, in the criterion and in the resolved spec."""
    for one in found["acceptance"]:
        if one["outcome"] == "fail":
            one.update(required=0.1, outcome="pass", text=one["text"].replace("0.99", "0.1"))
    for one in found["spec"]["acceptance"]:
        one["at_least"] = 0.1


def passed_look(found: Results) -> None:
    """A look that decided, with the criterion."""
    for part in ("looks", "acceptance"):
        found[part][0]["outcome"] = "pass"
    found["looks"][0].update(now="pass", decided_at=2, reason=None)
    found["acceptance"][0]["reason"] = None


def fewer_looks(found: Results) -> None:
    """The second look told as the first, so that it may decide at a wider boundary."""
    found["looks"][0].update(look=1, before=[])
    found["acceptance"][0]["look"] = 1


def no_change(found: Results) -> None:
    """A course without its alarm, and without the caution about it."""
    for one in found["periods"]:
        one["change"].update(alarm=None, since=None, earliest=None, latest=None, moved=[])
    found["cautions"] = [one for one in found["cautions"] if one["code"] != "changed_over_time"]


def without_caution_of_ties(found: Results) -> None:
    found["cautions"] = [one for one in found["cautions"] if one["code"] != "ties_at_threshold"]


def fair(found: Results) -> None:
    """No group below four fifths: its ratio, limits and p value are changed with that."""
    for one in found["impact"]:
        for own in one["categories"]:
            own.update(impact_ratio=1.0, below_four_fifths=False, p_value=None, test=None)


def cheaper(found: Results) -> None:
    """Another cost of a mistake in the resolved spec."""
    found["spec"]["costs"]["false_negative"] = 1


def one_label_less(found: Results) -> None:
    """A label of the sets, with all that is of it."""
    label = found["labels"][0]["order"][0]
    found["labels"][0]["order"].remove(label)
    for part in ("tables", "measures", "curves", "thresholds"):
        found[part] = [one for one in found[part] if one.get("label") != label]


def no_test_of_all(found: Results) -> None:
    """No tests of all models, and a spec that does not ask for them."""
    found["omnibus"] = []
    found["spec"]["comparisons"]["omnibus"] = False


def values_of_all(found: Results) -> None:
    """Areas of all models, with the test of the covariances that stand there."""
    own = next(one for one in found["omnibus"] if one["test"] == "delong")
    own["values"] = [value + 0.01 for value in own["values"]]


def shown(found: Results) -> None:
    """A hypothesis that is shown, by a p value that is small enough, corrected too."""
    for one in found["comparisons"]:
        if one.get("hypothesis") is not None:
            one["hypothesis"].update(p_value=1e-9, p_adjusted=1e-9, shown=True)


def clusters_forgotten(found: Results) -> None:
    """Rows that are told as independent."""
    for one in found["rows"]:
        one.update(clusters=None, clustered=None)


def weights_forgotten(found: Results) -> None:
    """Weighted counts rounded to rows."""
    for one in found["tables"]:
        one["counts"] = [[round(count) for count in row] for row in one["counts"]]


def drift_gone(found: Results) -> None:
    """Labels that have not moved, with equal counts and all that follows from them."""
    own = next(one for one in found["drift"] if one["of"] == "labels")
    for one in own["bins"]:
        one["rows"] = one["reference"]
    own.update(psi=0.0, statistic=0.0, p_value=1.0)


def reproduced(found: Results) -> None:
    """A claim that is reproduced."""
    found["claims"][0].update(outcome="reproduced", value_reproduced=True, reason=None)


def readers_failed(found: Results) -> None:
    """A failure of readers whose records are there."""
    found["failures"].append({"section": "readers", "reason": "ValueError: none"})


def counted_cell(found: Results) -> None:
    """A number in the cell that nobody counted."""
    for one in found["tables"]:
        one["counts"][1][1] = 40


def fold_taken_out(found: Results) -> None:
    """The last fold of the second repeat, with its table and numbers."""
    last = found["measures"][-1]["fold"]
    for part in ("measures", "tables"):
        found[part] = [one for one in found[part] if one["fold"] != last]


def repeat_taken_out(found: Results) -> None:
    """The second repeat of a cross-validation, with its folds, tables and numbers."""
    further = {one["fold"] for one in found["measures"] if str(one["fold"]).startswith("repeat")}
    for part in ("measures", "tables"):
        found[part] = [one for one in found[part] if one["fold"] not in further]


HIDDEN: dict[str, tuple[str, Callable[[Results], object]]] = {
    "both scores of two models": ("panel", without_pair),
    "both scores of weighted readings": ("readers", without_pair),
    "a case that a reader found": ("readers", better_reader),
    "the name of a reader": ("readers", other_reader),
    "a failure of readers that are there": ("readers", readers_failed),
    "two months for each other": ("periods", swapped_months),
    "a change over time": ("periods", no_change),
    "a requirement that is met": ("readers", lower_requirement),
    "a look that decided": ("looks", passed_look),
    "the number of looks": ("looks", fewer_looks),
    "a caution about ties": ("impact", without_caution_of_ties),
    "a caution about ties in weighted rows": ("weights", without_caution_of_ties),
    "groups that are treated alike": ("impact", fair),
    "weighted groups that are treated alike": ("weights", fair),
    "the cost of a mistake": ("impact", cheaper),
    "the cost of a mistake in weighted rows": ("weights", cheaper),
    "a label of the sets": ("sets", one_label_less),
    "tests of all models that are not asked for": ("panel", no_test_of_all),
    "values of a test of all models": ("panel", values_of_all),
    "a hypothesis that is shown": ("panel", shown),
    "clusters": ("clusters", clusters_forgotten),
    "weights": ("weights", weights_forgotten),
    "drift of labels": ("classes", drift_gone),
    "a claim that is reproduced": ("classes", reproduced),
    "a cell that nobody counted": ("search", counted_cell),
    "a fold of a further repeat": ("trained", fold_taken_out),
    "a repeat of a cross-validation": ("trained", repeat_taken_out),
}


@pytest.mark.parametrize("name", HIDDEN)
def test_a_forgery_that_hides_itself_is_found(name: str) -> None:
    run, change = HIDDEN[name]
    forged = copy.deepcopy(results_of(run))
    change(forged)
    assert forged != results_of(run)
    assert told(forged)


# -- what failed ----------------------------------------------------------------------------------

#: Where the engine fails, by the run, and the section that is recorded.
FAILED = [
    ("readers", "readers.placing.studies", "readers"),
    ("readers", "comparisons.score_pairs.score_pairs", "comparisons"),
    ("panel", "comparisons.omnibus.omnibus_records", "comparisons"),
    ("panel", "comparisons.reclassification.reclassification_records", "comparisons"),
    ("panel", "run.comparisons_of", "comparisons"),
    ("panel", "run.characteristics", "characteristics"),
    ("panel", "run.curve_records", "curves"),
    ("impact", "run.impact_records", "subgroups"),
    ("classes", "reference.drift.drift_records", "drift"),
    ("classes", "run.claim_records", "claims"),
]


@pytest.mark.nightly_but_each(3)
@pytest.mark.parametrize(("run", "where", "section"), FAILED)
def test_a_part_that_failed_is_no_forgery(
    run: str, where: str, section: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_given: Any, **_named: Any) -> None:
        raise ValueError("broken")

    with monkeypatch.context() as patched:
        patched.setattr(f"evalreport.engine.{where}", fail)
        found = results_of.__wrapped__(run)
    assert section in {one["section"] for one in found["failures"]}
    assert told(found) == ()


# -- what nothing tells -------------------------------------------------------------------------

#: The run, the field, and the words for it on the list of ``--explain``.
LISTED = [
    ("panel", "provenance.version", "versions of evalreport"),
    ("panel", "provenance.versions.numpy", "versions of evalreport"),
    ("panel", "provenance.engine.reason", "the engine"),
    ("panel", "provenance.spec.name", "the file name of the spec"),
    ("panel", "provenance.inputs.name", "what was read"),
    ("readers", "rows.clusters", "clusters"),
    ("clusters", "measures.interval.standard_error", "weighted or clustered rows"),
    ("weights", "measures.interval.n_effective", "weighted or clustered rows"),
    ("panel", "characteristics.columns.groups.sd", "descriptions of columns"),
    ("panel", "score_pairs.negatives.model_scores", "both scores of a row"),
    ("trained", "learning_curves.points.counts", "training"),
    ("trained", "learning_curves.points.train_rows", "training"),
    ("classes", "drift.ks", "drift"),
    ("looks", "looks.previous", "earlier runs"),
]


@pytest.mark.parametrize(("run", "path", "words"), LISTED)
def test_what_is_not_found_is_listed(run: str, path: str, words: str) -> None:
    forged = copy.deepcopy(results_of(run))
    assert forge(forged, path.split("."))
    assert told(forged) == (), "it is found now: take it off the list"
    assert any(words in one for one in BEYOND)


def test_there_are_enough_kinds_of_forgeries() -> None:
    kinds = [*records(), *fields(), *added(), *HIDDEN, *LISTED]
    assert len(kinds) > 400
