"""Changes that an attacker would make, with manifest and pages made to fit: found, or listed.

Each change is made consistently: a number is replaced wherever it stands. Those that nothing in
the run can tell are listed in ``docs/verify.md``.
"""

from __future__ import annotations

import copy
import hashlib
import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evalreport.cli import status_of
from evalreport.results.codec import decode
from evalreport.runs.hashing import record_bytes
from evalreport.runs.manifest import Manifest, RunDetails, read_manifest
from evalreport.runs.row_digests import KEY_FILE, SIZE
from evalreport.verify.kept import kept_problems
from evalreport.verify.recompute import recompute
from evalreport.verify.verify import BEYOND, anchor_problems, verify_run

pytestmark = pytest.mark.long_but_first


DOCS = Path(__file__).parents[2] / "docs" / "verify.md"
SPEC = """evalreport: 1
title: Two models of one ward
about: {question: Do the models tell the ill from the well?}
datasets:
  ward: {path: ward.csv, target: y, id: case, keep_rows: true}
positive: {label: ill}
models:
  one: {score: a}
  two: {score: b}
metrics: [recall, specificity, precision, accuracy, f1, mcc, kappa, balanced_accuracy, lr_plus,
          {ppv_at_prevalence: {prevalence: 0.1}}, roc_auc, average_precision, log_loss, brier,
          ece, calibration_slope, ks, expected_cost, net_benefit, impact_ratio]
costs: {false_negative: 5, false_positive: 1}
thresholds: [0.5, {maximize: youden_j}]
subgroups: [site]
confidence: {seed: 3, resamples: 200, methods: {precision: clopper_pearson, accuracy: jeffreys,
             mcc: bootstrap_percentile}}
comparisons: {reference: two, correction: holm}
acceptance:
  - {metric: recall, at_least: 0.99, bound: lower, threshold: 0.5}
  - {metric: roc_auc, at_least: 0.5, bound: lower}
report: {formats: [html, markdown, csv, junit, latex, model_index]}
"""

Results = dict[str, Any]
Change = Callable[[Results], Any]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("forged")
    rng = random.Random(4)
    lines = ["case,y,a,b,site"]
    for k in range(240):
        ill = rng.random() < 0.4
        a, b = (min(max(rng.gauss(0.6 if ill else 0.4, 0.2), 0.01), 0.99) for _ in range(2))
        lines.append(
            f"c{k},{'ill' if ill else 'well'},{a:.2f},{b:.2f},{'north' if k % 3 else 'south'}"
        )
    (folder / "ward.csv").write_text("\n".join(lines) + "\n")
    (folder / "ward.yaml").write_text(SPEC)
    # the key orders the kept rows: a drawn one would put another row first in every session
    (folder / "runs").mkdir()
    (folder / "runs" / KEY_FILE).write_bytes(bytes(SIZE))
    spec = str(folder / "ward.yaml")
    args = ["run", spec, "-o", str(folder / "runs"), "--at", "2026-11-21T12:00:00Z", "--quiet"]
    assert status_of(args) == 1
    return (folder / "runs" / "latest").resolve()


@pytest.fixture(scope="module")
def honest(run: Path) -> Results:
    found: Results = json.loads((run / "results.json").read_text())
    return found


# -- changes ------------------------------------------------------------------------------------


def everywhere(value: Any, old: Any, new: Any) -> Any:
    """The same data with one number in place of another wherever it stands."""
    if isinstance(value, dict):
        return {key: everywhere(inner, old, new) for key, inner in value.items()}
    if isinstance(value, list):
        return [everywhere(inner, old, new) for inner in value]
    return new if type(value) is type(old) and value == old else value


def measure(found: Results, metric: str, **more: Any) -> Results:
    wanted = {"model": "one", "subgroup": {}, **more}
    own: Results = next(
        m
        for m in found["measures"]
        if m["metric"] == metric and all(m[name] == value for name, value in wanted.items())
    )
    return own


def with_value(metric: str, by: float = 0.01) -> Change:
    def change(found: Results) -> None:
        own = measure(found, metric)
        old, limits = own["value"], dict(own["interval"] or {})
        changed = everywhere(found, old, old + by)
        for side in ("low", "high"):
            if side in limits:
                changed = everywhere(changed, limits[side], limits[side] + by)
        found.update(changed)

    return change


def with_limits(metric: str, **more: Any) -> Change:
    def change(found: Results) -> None:
        low = measure(found, metric, **more)["interval"]["low"]
        found.update(everywhere(found, low, low + 0.005))

    return change


def with_field(metric: str, name: str, value: Any) -> Change:
    def change(found: Results) -> None:
        measure(found, metric)[name] = value

    return change


def with_part(part: str, name: str, value: Any, place: int = 0) -> Change:
    def change(found: Results) -> None:
        own = found[part][place]
        own[name] = value(own[name]) if callable(value) else value

    return change


def with_point(kind: str, column: str) -> Change:
    def change(found: Results) -> None:
        own = next(c for c in found["curves"] if c["kind"] == kind)
        places = [k for k, v in enumerate(own["points"][column]) if v is not None]
        own["points"][column][places[len(places) // 2]] += 0.001

    return change


def swapped(found: Results) -> None:
    """Two subgroups in each other's place, wherever they are named."""
    text = json.dumps(found).replace('"site": "north"', '"site": "?"')
    text = text.replace('"site": "south"', '"site": "north"').replace(
        '"site": "?"', '"site": "south"'
    )
    found.update(json.loads(text))


def renamed_models(found: Results) -> None:
    """Two models in each other's place, wherever they are named but in the text of the spec."""
    own = found["provenance"].pop("spec")
    text = json.dumps(found).replace('"one"', '"?"').replace('"two"', '"one"')
    found.update(json.loads(text.replace('"?"', '"two"')))
    found["provenance"]["spec"] = own


def without(part: str, **wanted: Any) -> Change:
    def change(found: Results) -> None:
        own = found[part]
        place = next(k for k, one in enumerate(own) if wanted.items() <= one.items())
        del own[place]

    return change


def failed(section: str, **place: Any) -> Change:
    def change(found: Results) -> None:
        found["failures"].append({"section": section, "reason": "ValueError: none", **place})

    return change


def out_of_order(found: Results) -> None:
    own = found["measures"]
    own[0], own[1] = own[1], own[0]


def one_more_tie(found: Results) -> None:
    found["labels"][0]["ties"][0]["rows"] += 1


def part_failed(found: Results) -> None:
    """All limits on widths are taken out, as if they had failed."""
    found["sample_size"] = []
    found["failures"].append({"section": "sample size", "reason": "ValueError: none"})


def without_cautions(found: Results) -> None:
    found["cautions"] = []


def without_criterion(found: Results) -> None:
    del found["acceptance"][0]


def renamed_method(found: Results) -> None:
    measure(found, "precision")["interval"]["method"] = "wilson"


def comparison(found: Results, metric: str) -> Results:
    own: Results = next(c for c in found["comparisons"] if c["metric"] == metric)
    return own


def with_comparison(metric: str, name: str, change: Callable[[Any], Any]) -> Change:
    """A field of a comparison, or of a part of it, such as ``interval.low``."""

    def forge(found: Results) -> None:
        own = comparison(found, metric)
        *inside, last = name.split(".")
        for step in inside:
            own = own[step]
        own[last] = change(own[last])

    return forge


def two_sides(found: Results) -> None:
    """A p value that shows a difference beside limits that do not, made to fit in its family."""
    own = comparison(found, "roc_auc")
    assert own["interval"]["low"] < 0 < own["interval"]["high"]
    own["p_value"] = own["p_adjusted"] = 1e-9


def fisher(found: Results) -> None:
    groups = [c for one in found["impact"] for c in one["categories"] if c["test"]]
    groups[0]["p_value"] = 1e-9


def another_version(found: Results) -> None:
    """A version that nobody can hold the numbers against, and a number that is no other's."""
    found["provenance"]["version"] = "0.0.9"
    with_value("recall", 0.05)(found)


def limits_of_another_version(found: Results) -> None:
    """Limits by a method that every version knows, under the name of another version."""
    found["provenance"]["version"] = "0.0.9"
    own = measure(found, "recall")["interval"]
    assert own["method"] == "wilson"
    own["low"] += 0.01


def method_of_another_version(found: Results) -> None:
    """The limits of one method under the name of another."""
    found["provenance"]["version"] = "0.0.9"
    measure(found, "recall")["interval"]["method"] = "clopper_pearson"


def another_numpy(found: Results) -> None:
    """Limits that were drawn, moved by more than draws differ."""
    found["provenance"]["versions"]["numpy"] = "1.99.0"
    low = measure(found, "mcc")["interval"]["low"]
    found.update(everywhere(found, low, low / 2))


VALUES = ["recall", "precision", "accuracy", "f1", "mcc", "kappa", "balanced_accuracy", "lr_plus",
          "ppv_at_prevalence", "roc_auc", "average_precision", "log_loss", "brier", "ece",
          "calibration_slope", "ks", "expected_cost", "net_benefit"]  # fmt: skip
POINTS = {
    "roc": ("tpr", "threshold"), "precision_recall": ("precision", "threshold"),
    "gain": ("gain",), "lift": ("lift",), "decision": ("net_benefit",),
    "calibration": ("observed",), "smoothed_calibration": ("observed",),
    "accuracy_coverage": ("accuracy",), "sweep": ("precision",),
}  # fmt: skip

FOUND: dict[str, Change] = {
    **{f"value of {metric}": with_value(metric) for metric in VALUES},
    **{f"limits of {metric}": with_limits(metric) for metric in VALUES if metric != "ece"},
    "limits of a subgroup": with_limits("recall", subgroup={"site": "north"}),
    **{f"{c} of the {k} curve": with_point(k, c) for k, own in POINTS.items() for c in own},
    "method of an interval": renamed_method,
    "threshold of a measure": with_field("recall", "threshold", 0.4),
    "formula": with_field("recall", "formula", "TP / n"),
    "substituted": with_field("recall", "substituted", "1 / 2"),
    "label of a measure": with_field("recall", "label", "well"),
    "model of a measure": with_field("recall", "model", "two"),
    "title of a metric": with_field("recall", "title", "Specificity"),
    "interval taken out": with_field("recall", "interval", None),
    "n of a measure": with_field("roc_auc", "n", 230),
    "difference": with_part("comparisons", "difference", lambda d: (d or 0) + 0.01),
    "value in a comparison": with_part("comparisons", "model_value", lambda d: (d or 0) + 0.01),
    "corrected p": with_part("comparisons", "p_adjusted", lambda p: (p or 0) / 2 + 1e-4),
    "p of McNemar": with_part("comparisons", "p_value", lambda p: (p or 0) / 2 + 1e-4),
    "p against the statistic": with_comparison("log_loss", "p_value", lambda p: p / 2),
    "limits against the error": with_comparison("brier", "interval.low", lambda low: low - 0.01),
    "limits beside the difference": with_comparison("roc_auc", "interval.low", lambda _low: 0.9),
    "p and limits on two sides of 0": two_sides,
    "counts of both that give other values": with_comparison(
        "recall", "joint_table.n10", lambda n: n + 1
    ),
    "a difference that the values do not give": with_comparison(
        "mcc", "difference", lambda d: d + 0.1
    ),
    "a limit of a value in a comparison": with_comparison("f1", "interval.high", lambda _h: -0.9),
    "the level of the limits of a comparison": with_comparison(
        "roc_auc", "interval.level", lambda _level: 0.99
    ),
    "whether two can be told apart": with_comparison("kappa", "told_apart", lambda own: not own),
    "which one is better": with_comparison("log_loss", "better", lambda _own: None),
    "Fisher's p of an impact ratio": fisher,
    "numbers under another version": another_version,
    "limits under another version": limits_of_another_version,
    "the method of limits under another version": method_of_another_version,
    "drawn limits under another numpy": another_numpy,
    "family of tests": with_part("comparisons", "family_tests", 2),
    "outcome of a criterion": with_part("acceptance", "outcome", "pass"),
    "observed": with_part("acceptance", "observed", 0.995),
    "required": with_part("acceptance", "required", 0.1),
    "bound": with_part("acceptance", "bound", "point"),
    "text of a criterion": with_part("acceptance", "text", "recall >= 0.1"),
    "criterion removed": without_criterion,
    "cautions emptied": without_cautions,
    "message of a caution": with_part("cautions", "message", "all is well"),
    "severity of a caution": with_part(
        "cautions", "severity", lambda s: "note" if s == "warning" else "warning"
    ),
    "gap": with_part("subgroup_gaps", "gap", lambda g: (g or 0) + 0.01),
    "interval of a gap": with_part("subgroup_gaps", "gap_interval", None, 2),
    "heterogeneity": with_part("heterogeneity", "p_value", 0.9),
    "rows used": with_part("rows", "used", 230),
    "rows read": with_part("rows", "read", 230),
    "rows by class": with_part("rows", "classes", lambda c: [{**c[0], "count": 1}, *c[1:]]),
    "threshold of a rule": with_part("thresholds", "threshold", 0.123, 1),
    "baseline": with_part("baselines", "value", 0.123),
    "table of a baseline": with_part("baseline_tables", "counts", [[1, 2], [3, 4]]),
    "outcome against a baseline": with_part("against_baselines", "outcome", "not_judged"),
    "width": with_part("sample_size", "width", 0.5),
    "relation of ROC curves": with_part("roc_relations", "crossing_count", 99),
    "rows of a quadrant": with_part(
        "score_pairs", "positives", lambda own: {**own, "rows": own["rows"][::-1]}
    ),
    "threshold of both scores": with_part("score_pairs", "threshold", 0.4),
    "counts of a table": with_part("tables", "counts", [[100, 44], [40, 56]]),
    "title of the report": lambda found: found.update(title="Another"),
    "about": lambda found: found["spec"].update(about={"question": "Another?"}),
    "text of the spec": lambda found: found["provenance"]["spec"].update(text="evalreport: 1\n"),
    "hash of the spec": lambda found: found["provenance"]["spec"].update(sha256="0" * 64),
    "seed": lambda found: found["provenance"].update(seed=4),
    "plan": lambda found: found["provenance"].update(plan_sha256="0" * 64),
    "plan in both places": lambda found: [
        found["provenance"].update(plan_sha256="0" * 64),
        found["plan"].update(sha256="0" * 64),
    ],
    "tasks of the plan": lambda found: found["plan"].update(tasks=193),
    "what the plan leaves out": lambda found: found["plan"].update(
        skipped=[{"dataset": "ward", "model": "one", "metric": "x", "reason": "y"}]
    ),
    "what the plan does": lambda found: found["plan"]["planned"].pop(),
    "two subgroups are named for each other": swapped,
    "two models are named for each other": renamed_models,
    "models in another order": lambda found: found["labels"].reverse(),
    "a measure taken out": without("measures", metric="mcc", model="two"),
    "measures in another order": out_of_order,
    "a curve taken out": without("curves", kind="roc", model="two"),
    "rows tied at a threshold": one_more_tie,
    "the rule of the positive class": with_part("labels", "rule", "largest"),
    "classes in another order": with_part("labels", "order", lambda own: own[::-1]),
    "a class that was seen": with_part("labels", "seen_true", ["ill", "other"]),
    "small groups": with_field("recall", "few", True),
    "the subgroup of a table": lambda found: next(
        one for one in found["tables"] if one["subgroup"]
    ).update(subgroup={}),
    "the threshold of a table": with_part("tables", "threshold", 0.9),
    "curves said to be thinned": lambda found: [
        one.update(thinned=True) for one in found["curves"]
    ],
    "classes said to be numbers": with_part("labels", "kind", "number"),
    "how a score becomes a label": with_part("labels", "operator", "score > threshold"),
    "overrides": lambda found: found["provenance"]["spec"].update(overrides=["title=x"]),
    "the plan of another engine": lambda found: [
        found["provenance"]["engine"].update(name="spark"),
        found["measures"].pop(),
    ],
    "a failure of what is not asked for": failed("drift"),
    "a failure of curves that are there": failed("curves", dataset="ward", model="one"),
    "a failure of a part that is there": failed("baselines"),
    "a failure of a caution that does not exist": failed("caution none"),
    "a failure of a threshold that is there": failed("thresholds", dataset="ward", model="one"),
    "a failure of a criterion that is not asked for": failed("criterion 9"),
    "a failure of training": failed("learning_curve", dataset="ward", model="one"),
    "a failure of a measure that is there": failed(
        "recall (all rows)", dataset="ward", model="one"
    ),
    "a failure of nothing": failed("everything"),
    "a reason for which no row is left out": with_part(
        "rows", "excluded", [{"reason": "score is empty", "count": 0}]
    ),
    "a caution that stands twice": lambda found: found["cautions"].append(found["cautions"][0]),
    "the id of a curve": lambda found: found["curves"][-1].update(id="c99"),
    "two curves with one id": lambda found: found["curves"][-1].update(id=found["curves"][0]["id"]),
    "the rule beside the threshold of a table": lambda found: next(
        one for one in found["tables"] if one["threshold_rule"]
    ).update(threshold_rule=None),
    "a failure of another model": failed("curves", dataset="ward", model="three"),
}

#: What nothing in results.json tells, and the words of the page about verify for it.
LISTED: dict[str, tuple[Change, str]] = {
    "the clock": (
        lambda found: found["provenance"].update(at="2025-01-01T00:00:00Z"),
        "the clock",
    ),
    "sha256 of what was read": (
        lambda found: found["provenance"]["inputs"][0].update(sha256="0" * 64),
        "sha256 of what was read",
    ),
    "a part taken out and recorded as failed": (part_failed, "recorded as failed"),
    "the file name of the spec": (
        lambda found: found["provenance"]["spec"].update(name="other.yaml"),
        "the file name of the spec",
    ),
}


@pytest.mark.long
def test_nothing_is_wrong_with_an_honest_run(run: Path, honest: Results) -> None:
    assert recompute(honest).problems == ()
    assert status_of(["verify", str(run)]) == 0


@pytest.mark.nightly_but_each(3)
@pytest.mark.parametrize("name", FOUND)
def test_a_change_of_results_is_found(name: str, honest: Results) -> None:
    forged = copy.deepcopy(honest)
    FOUND[name](forged)
    assert forged != honest
    assert recompute(forged).problems


@pytest.mark.parametrize("name", LISTED)
def test_what_is_not_found_is_listed(name: str, honest: Results) -> None:
    forged = copy.deepcopy(honest)
    change, words = LISTED[name]
    change(forged)
    assert forged != honest
    assert not recompute(forged).problems, "it is found now: take it off the page"
    assert any(words in one for one in BEYOND)


@pytest.mark.long
def test_what_verify_cannot_find_is_on_its_page_and_explained(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = " ".join(DOCS.read_text(encoding="utf-8").split())
    assert [one for one in BEYOND if one not in page] == []
    capsys.readouterr()
    assert status_of(["verify", "--explain"]) == 0
    told = capsys.readouterr().out
    assert [one for one in BEYOND if one not in told] == []
    # a healthy run has one line that leads there
    assert status_of(["verify", str(run)]) == 0
    told = capsys.readouterr().out
    assert "verify --explain" in told
    assert [one for one in BEYOND if one in told] == []


# -- a line of the history that was kept elsewhere ---------------------------------------------


def test_a_line_kept_elsewhere_covers_the_run(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    anchor = hashlib.sha256((run.parent / "history.jsonl").read_bytes()).hexdigest()
    capsys.readouterr()
    assert status_of(["verify", str(run), "--anchor", anchor]) == 0
    assert "--explain" not in capsys.readouterr().out
    assert anchor_problems(run.parent, anchor) == []
    (problem,) = anchor_problems(run, "0" * 64)
    assert "no line has the sha256" in problem.what
    # a run after the anchor is not covered by it
    runs = tmp_path / "runs"
    shutil.copytree(run.parent, runs, symlinks=True)
    spec = str(run.parents[1] / "ward.yaml")
    args = ["run", spec, "-o", str(runs), "--at", "2026-11-22T12:00:00Z", "--quiet"]
    assert status_of([*args, "--formats", ""]) == 1
    (problem,) = anchor_problems(runs / "latest", anchor)
    assert "was recorded after line 1" in problem.what


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("20250101T000000Z-{spec}", "the folder is named for 20250101T000000Z"),
        ("{clock}-00000000", "the folder is named for a spec of sha256 00000000"),
    ],
)
def test_a_run_keeps_the_name_of_its_clock_and_spec(
    name: str, told: str, run: Path, tmp_path: Path
) -> None:
    clock, _, spec = run.name.partition("-")
    whole = tmp_path / run.name
    shutil.copytree(run, whole)
    assert verify_run(whole) == []
    other = whole.rename(tmp_path / name.format(clock=clock, spec=spec))
    (problem,) = verify_run(other)
    assert told in problem.what


# -- what is kept of rows -----------------------------------------------------------------------


def kept(run: Path) -> Any:
    return json.loads((run / "rows.json").read_bytes())


def of_model(place: str, change: Callable[[list[Any]], object]) -> Change:
    return lambda found: change(found["datasets"]["ward"]["models"]["one"][place])


def swap(own: list[Any]) -> None:
    other = next(place for place, value in enumerate(own) if value != own[0])
    own[0], own[other] = own[other], own[0]


ROWS: dict[str, Change] = {
    "true classes of two rows": of_model("actual", swap),
    "a score": of_model("score", lambda own: own.__setitem__(0, 0.505)),
    "a true class": of_model("actual", lambda own: own.__setitem__(0, 1 - own[0])),
    "a row less": lambda found: [
        found["datasets"]["ward"]["models"]["one"][name].pop()
        for name in ("rows", "actual", "score")
    ],
    "a row twice": of_model("rows", lambda own: own.__setitem__(1, own[0])),
    "a row that is not there": of_model("rows", lambda own: own.__setitem__(-1, 999)),
    "classes in another order": of_model("labels", lambda own: own.reverse()),
    "a model less": lambda found: found["datasets"]["ward"]["models"].pop("two"),
    "a dataset that is not kept": lambda found: found["datasets"].update(
        other=found["datasets"]["ward"]
    ),
    "a digest less": lambda found: [
        found["datasets"]["ward"][name].pop() for name in ("ids", "rows")
    ],
    "digests in another order": lambda found: found["datasets"]["ward"]["ids"].reverse(),
    "no models at all": lambda found: found["datasets"]["ward"].pop("models"),
    "something else": lambda found: found.update(datasets=[]),
}


def test_rows_that_were_kept_are_those_of_the_results(run: Path, honest: Results) -> None:
    assert list(kept_problems(kept(run), decode(honest))) == []


@pytest.mark.parametrize("name", ROWS)
def test_a_change_of_kept_rows_is_found(name: str, run: Path, honest: Results) -> None:
    forged = kept(run)
    ROWS[name](forged)
    assert forged != kept(run)
    assert list(kept_problems(forged, decode(honest)))


@pytest.mark.long
def test_a_change_of_kept_rows_is_told_by_the_command(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def change(data: bytes) -> bytes:
        forged = json.loads(data)
        ROWS["a true class"](forged)
        return json.dumps(forged).encode()

    copied = rewritten(run, tmp_path, "rows.json", change)
    capsys.readouterr()
    assert status_of(["verify", str(copied)]) == 5
    assert "rows.json" in capsys.readouterr().err


@pytest.mark.long
def test_kept_rows_that_cannot_be_read_are_told_by_the_command(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copied = rewritten(run, tmp_path, "rows.json", lambda data: data[:-9])
    capsys.readouterr()
    assert status_of(["verify", str(copied)]) == 5
    assert "rows.json: cannot be read: " in capsys.readouterr().err


# -- files --------------------------------------------------------------------------------------


def rewritten(run: Path, folder: Path, name: str, change: Callable[[bytes], bytes]) -> Path:
    """A copy of the run with a file changed, and a manifest that fits; no history beside it."""
    copied = folder / "copy"
    copied.mkdir()
    for path in run.iterdir():
        (copied / path.name).write_bytes(path.read_bytes())
    path = copied / name
    before = path.read_bytes()
    path.write_bytes(change(before))
    assert path.read_bytes() != before
    manifest, _ = read_manifest(run)
    outputs = {**manifest.outputs, name: record_bytes(path.read_bytes())}
    (copied / "MANIFEST.json").write_bytes(Manifest(manifest.details, outputs).to_bytes())
    return copied


FILES: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "a word of the page": ("report.html", lambda b: b.replace(b"ward", b"word", 1)),
    "an empty page": ("report.html", lambda _: b"<!doctype html><title>t</title>"),
    "measures.csv": ("measures.csv", lambda b: b.replace(b"recall", b"Recall", 1)),
    "tables.csv": ("tables.csv", lambda b: b + b"\n"),
    "summary": ("summary.md", lambda b: b + b"passed\n"),
    "JUnit": ("criteria.xml", lambda b: b.replace(b"<failure", b"<skipped", 1)),
    "LaTeX": ("measures.tex", lambda b: b + b"%"),
    "model index": ("model-index.yaml", lambda b: b + b"\n"),
}


@pytest.mark.long
@pytest.mark.nightly_but_each(3)
@pytest.mark.parametrize("name", FILES)
def test_a_change_of_a_file_is_found(
    name: str, run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, change = FILES[name]
    copied = rewritten(run, tmp_path, file, change)
    capsys.readouterr()
    assert status_of(["verify", str(copied)]) == 5
    told = capsys.readouterr().err
    assert file in told
    assert "comes out differently" in told


DETAILS: dict[str, Callable[[RunDetails], dict[str, Any]]] = {
    "outcome": lambda _: {"outcome": "passed"},
    "when": lambda _: {"when": "2025-01-01T00:00:00Z"},
    "inputs": lambda _: {"inputs": ()},
    "spec": lambda own: {"spec": record_bytes(b"other")},
    "plan_sha256": lambda _: {"plan_sha256": "0" * 64},
    "engine": lambda own: {"settings": {**own.settings, "engine": "spark"}},
    "overrides": lambda own: {"settings": {**own.settings, "overrides": ["a=b"]}},
    "criteria": lambda own: {"settings": {**own.settings, "criteria": {"pass": 99}}},
}


@pytest.mark.parametrize("name", DETAILS)
def test_a_change_of_the_manifest_is_found(name: str, run: Path, honest: Results) -> None:
    from dataclasses import replace

    from evalreport.cli.redrawing import manifest_problems

    manifest, _ = read_manifest(run)
    results = decode(honest)
    assert list(manifest_problems(manifest, results)) == []
    changed = replace(manifest.details, **DETAILS[name](manifest.details))
    (problem,) = manifest_problems(Manifest(changed, manifest.outputs), results)
    assert problem.startswith(f"{name} is ")
