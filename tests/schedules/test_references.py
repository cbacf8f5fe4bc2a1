"""Against a model, a dataset, an earlier run and declared values."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from schedules.weekly_runs import SPEC, audit, results, write_rows

from evalreport.cli import status_of
from evalreport.results.codec import results_schema
from evalreport.statistics.unpaired import newcombe_hybrid

PREVIOUS = "reference: {run: runs/latest}"
WITH_RUN = SPEC.replace(
    "acceptance:",
    f"comparisons: {{{PREVIOUS}, correction: holm, margins: {{recall: 0.05}}}}\nacceptance:",
)


def newest(folder: Path) -> dict[str, Any]:
    return results(folder / "runs" / "latest")


def criterion(text: str) -> str:
    return SPEC.replace("  - {metric: recall, at_least: 0.7}\n", f"  - {{{text}}}\n")


def outcome(folder: Path) -> dict[str, Any]:
    (entry,) = newest(folder)["acceptance"]
    return dict(entry)


def test_now_and_then(tmp_path: Path) -> None:
    """Recall 40/50, then 25/50: the difference of independent samples, with its margin."""
    assert audit(tmp_path, (40, 10, 10, 90), 1) == 0
    first = (tmp_path / "runs" / "latest").resolve().name
    assert audit(tmp_path, (25, 25, 10, 90), 2, spec=WITH_RUN) == 1
    found = newest(tmp_path)
    jsonschema.validate(found, results_schema())
    recall = next(c for c in found["comparisons"] if c["metric"] == "recall")
    assert (recall["difference"], recall["reference_run"]) == (-0.3, first)
    limits = newcombe_hybrid(25, 50, 40, 50, 0.95)
    assert limits is not None
    assert (recall["interval"]["low"], recall["interval"]["high"]) == tuple(limits)
    assert (recall["better"], recall["told_apart"]) == ("reference", True)
    assert (recall["margin"], recall["non_inferior"]) == (0.05, False)
    # three shares have a p value; the smallest is multiplied by their number
    p_values = [c["p_value"] for c in found["comparisons"] if c["p_value"] is not None]
    assert len(p_values) == 3
    assert recall["p_adjusted"] == pytest.approx(3 * min(p_values))
    brier = next(c for c in found["comparisons"] if c["metric"] == "brier")
    assert brier["better"] == "reference"
    assert brier["difference"] > 0
    (named,) = found["references"]
    assert named["run"] == first
    assert status_of(["verify", str(tmp_path / "runs")]) == 0


def test_only_a_decline_is_a_caution(tmp_path: Path) -> None:
    audit(tmp_path, (40, 10, 10, 90), 1)
    for day, hits, expected in ((2, 41, 0), (3, 20, 1)):
        audit(tmp_path, (hits, 50 - hits, 10, 90), day, spec=WITH_RUN)
        codes = [c["code"] for c in newest(tmp_path)["cautions"]]
        assert codes.count("no_better_than_baseline") == expected


def test_breaches_are_counted_along_the_previous_runs(tmp_path: Path) -> None:
    audit(tmp_path, (40, 10, 10, 90), 1)
    counts = []
    for day, hits in enumerate((25, 24, 45, 23), start=2):
        audit(tmp_path, (hits, 50 - hits, 10, 90), day, spec=WITH_RUN)
        counts.append(outcome(tmp_path)["breaches_in_a_row"])
    assert counts == [1, 2, 0, 1]


def test_a_breach_before_counting_began_is_one(tmp_path: Path) -> None:
    audit(tmp_path, (20, 30, 10, 90), 1)
    audit(tmp_path, (25, 25, 10, 90), 2, spec=WITH_RUN)
    assert outcome(tmp_path)["breaches_in_a_row"] == 2


@pytest.mark.parametrize(("hits", "expected"), [(38, "pass"), (37, "fail"), (50, "pass")])
def test_a_margin_that_is_just_met_is_met(tmp_path: Path, hits: int, expected: str) -> None:
    """40/50 - 0.04 is 38/50: in binary 0.76 - 0.8 is a little less than -0.04."""
    audit(tmp_path, (40, 10, 10, 90), 1)
    spec = criterion(f"metric: recall, {PREVIOUS}, margin: 0.04")
    status = audit(tmp_path, (hits, 50 - hits, 10, 90), 2, spec=spec)
    entry = outcome(tmp_path)
    assert entry["outcome"] == expected
    assert status == (expected == "fail")
    assert (entry["required"], entry["reference_value"]) == (-0.04, 0.8)
    assert entry["text"] == "recall no worse than the previous run by more than 0.04"


def test_the_lower_limit_of_a_difference(tmp_path: Path) -> None:
    """38/50 after 40/50 could be 0.2 worse: the point passes a margin of 0.1, the limit not."""
    audit(tmp_path, (40, 10, 10, 90), 1)
    spec = criterion(f"metric: recall, {PREVIOUS}, margin: 0.1, bound: lower")
    assert audit(tmp_path, (38, 12, 10, 90), 2, spec=spec) == 1
    limits = newcombe_hybrid(38, 50, 40, 50, 0.95)
    assert limits is not None
    entry = outcome(tmp_path)
    assert (entry["observed"], entry["outcome"]) == (limits.low, "fail")


def test_low_is_good(tmp_path: Path) -> None:
    audit(tmp_path, (40, 10, 10, 90), 1)
    spec = criterion(f"metric: brier, {PREVIOUS}, margin: 0.01")
    assert audit(tmp_path, (30, 20, 10, 90), 2, spec=spec) == 1
    entry = outcome(tmp_path)
    assert (entry["direction"], entry["required"]) == ("at_most", 0.01)
    assert entry["observed"] > 0.01


def test_neither_is_better(tmp_path: Path) -> None:
    audit(tmp_path, (40, 10, 10, 90), 1)
    spec = criterion(f"metric: prevalence, {PREVIOUS}")
    assert audit(tmp_path, (40, 10, 10, 90), 2, spec=spec) == 1
    entry = outcome(tmp_path)
    assert entry["outcome"] == "not_evaluated"


def test_a_model_and_a_dataset_as_reference(tmp_path: Path) -> None:
    write_rows(tmp_path / "base.csv", (40, 10, 10, 90))
    spec = SPEC.replace(
        "  week:", "  base: {path: base.csv, target: truth, id: case, labels: [well, ill]}\n  week:"
    )
    spec = spec.replace("models:\n", "models:\n  other: {score: score}\n")
    spec = spec.replace(
        "  - {metric: recall, at_least: 0.7}\n",
        "  - {metric: recall, at_least: 0.1}\n"
        "  - {metric: recall, reference: {dataset: base}, margin: 0.1, model: model}\n"
        "  - {metric: recall, reference: other, bound: lower, dataset: week}\n"
        "  - {metric: specificity, at_least: 0.1, dataset: week, model: model}\n",
    )
    audit(tmp_path, (25, 25, 10, 90), 1, spec=spec)
    found = newest(tmp_path)["acceptance"]
    assert [e["criterion"] for e in found] == [1, 1, 1, 1, 2, 3, 4]
    by_dataset, by_model = found[4], found[5]
    assert (by_dataset["observed"], by_dataset["outcome"]) == (-0.3, "fail")
    assert by_dataset["text"] == "recall no worse than dataset base by more than 0.1"
    # the same scores twice: no difference, whose interval has a lower limit of at most 0
    assert by_model["difference"] == 0.0
    assert by_model["model"] == "model"


def test_no_earlier_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert audit(tmp_path, (40, 10, 10, 90), 1, spec=WITH_RUN) == 4
    told = capsys.readouterr().err
    assert "audit.yaml:14:32" in told
    assert "a first run has none to refer to" in told
    assert not (tmp_path / "runs" / "latest").exists()


def test_a_reference_that_is_no_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "runs" / "latest"
    other.mkdir(parents=True)
    for body in ("", "[]", "{}", '{"schema": "evalreport/results/1"}', "[" * 100_000):
        (other / "results.json").write_text(body, encoding="utf-8")
        spec = WITH_RUN.replace("runs/latest", "./runs/latest")
        assert audit(tmp_path, (40, 10, 10, 90), 1, "-o", str(tmp_path / "x"), spec=spec) == 4
        assert "its results.json is none" in capsys.readouterr().err


def test_declared_values(tmp_path: Path) -> None:
    """40/50 where 0.93 was declared: P(X <= 40) of a binomial(50, 0.93), twice."""
    spec = SPEC + (
        "declared:\n  - {metric: recall, value: 0.93, source: leaflet}\n"
        "  - {metric: precision, value: 0.8, source: leaflet}\n"
        "  - {metric: brier, value: 0.2, source: leaflet}\n"
    )
    assert audit(tmp_path, (40, 10, 10, 90), 1, spec=spec) == 0
    found = newest(tmp_path)
    jsonschema.validate(found, results_schema())
    recall, precision, brier = found["declared"]
    tail = math.fsum(math.comb(50, k) * 0.93**k * 0.07 ** (50 - k) for k in range(41))
    assert recall["p_value"] == pytest.approx(2 * tail, rel=1e-9)
    assert (recall["measured"], recall["within"], recall["source"]) == (0.8, False, "leaflet")
    # precision is measured because it is declared
    assert (precision["measured"], precision["within"]) == (0.8, True)
    assert precision["p_value"] == 1.0
    assert brier["p_value"] is None
    assert brier["within"] is False


# -- now and then in the report -------------------------------------------------------------------


@pytest.mark.long
def test_the_report_shows_now_and_then(tmp_path: Path) -> None:
    audit(tmp_path, (40, 10, 10, 90), 1)
    spec = (
        WITH_RUN.replace(
            "  - {metric: recall, at_least: 0.7}\n",
            "  - {metric: recall, at_least: 0.7}\n"
            f"  - {{metric: specificity, {PREVIOUS}, margin: 0.1, bound: lower}}\n",
        )
        + "declared: [{metric: recall, value: 0.93, source: instructions for use}]\n"
    )
    assert audit(tmp_path, (25, 25, 40, 60), 2, "--formats", "html,pdf", spec=spec) == 1
    assert audit(tmp_path, (24, 26, 42, 58), 3, "--formats", "html,pdf", spec=spec) == 1
    run = tmp_path / "runs" / "latest"
    page = (run / "report.html").read_text(encoding="utf-8")
    assert "Now versus then" in page
    assert "Then, as the run recorded it" in page
    assert "25 / 50" in page
    assert newest(tmp_path)["references"][0]["results_sha256"] in page
    assert "Specificity, no worse than the earlier run" in page
    assert "2 runs in a row" in page
    assert "failed in 2 runs in a row" in page
    assert "Declared elsewhere and measured here" in page
    assert "instructions for use" in page
    import pikepdf

    with pikepdf.open(run / "report.pdf") as pdf, pdf.open_outline() as outline:
        assert any(str(item.title).endswith("Now versus then") for item in outline.root)


@pytest.mark.long
def test_the_report_shows_a_dataset_as_reference(tmp_path: Path) -> None:
    write_rows(tmp_path / "base.csv", (40, 10, 10, 90))
    spec = SPEC.replace(
        "  week:", "  base: {path: base.csv, target: truth, id: case, labels: [well, ill]}\n  week:"
    )
    spec = spec.replace("acceptance:", "comparisons: {reference: {dataset: base}}\nacceptance:")
    audit(tmp_path, (25, 25, 10, 90), 1, "--formats", "html", spec=spec)
    page = (tmp_path / "runs" / "latest" / "report.html").read_text(encoding="utf-8")
    # neither dataset came first in time, and a model does not win against itself
    assert "week compared with base" in page
    assert "Now versus then" not in page
    assert not re.search("is better than (?!guessing)", page)
    # 40 of 50 found in base, 25 of 50 in week
    (caution,) = [c for c in newest(tmp_path)["cautions"] if c["code"] == "worse_on_other_rows"]
    assert "is worse on week than on base: Recall" in caution["message"]
    (recall,) = [c for c in newest(tmp_path)["comparisons"] if c["metric"] == "recall"]
    assert (recall["dataset"], recall["difference"]) == ("week", -0.3)


@pytest.mark.long_but_first
@pytest.mark.parametrize("path", ["runs/baseline", "runs/{name}"])
def test_a_baseline_that_was_pruned_is_held_against_by_its_numbers(
    tmp_path: Path, path: str
) -> None:
    """What is kept of a run is what differences and drift are made of."""
    audit(tmp_path, (40, 10, 10, 90), 1)
    audit(tmp_path, (41, 9, 10, 90), 2)
    runs = tmp_path / "runs"
    name = min(p.name for p in runs.iterdir() if p.name[0] == "2")
    spec = WITH_RUN.replace("runs/latest", path.format(name=name))
    spec += f"drift: {{reference: {{run: {path.format(name=name)}}}}}\n"
    (runs / "baseline").symlink_to(name)
    audit(tmp_path, (25, 25, 10, 90), 3, spec=spec)
    there = newest(tmp_path)
    (runs / "baseline").unlink()
    assert status_of(["prune", str(runs), "--keep", "1"]) == 0
    assert not (runs / name).exists()
    (runs / "baseline").symlink_to(name)
    audit(tmp_path, (25, 25, 10, 90), 4, spec=spec)
    pruned = newest(tmp_path)
    assert (pruned["comparisons"], pruned["drift"]) == (there["comparisons"], there["drift"])
    assert len(pruned["drift"]) == 2
    (named,) = pruned["references"]
    assert named["run"] == name
    assert status_of(["verify", str(runs)]) == 0
