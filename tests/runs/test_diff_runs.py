"""What changed between two published runs."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from runs.diff_as_json import differences
from schedules.weekly_runs import SPEC, audit, audits, results

from evalreport.cli import status_of
from evalreport.report.diff_page import diff_page, summary_text
from evalreport.report.pages import page_text
from evalreport.results.changes import Diff
from evalreport.results.codec import decode_as
from evalreport.runs.diff import score_shift
from evalreport.statistics.shift import Sample
from evalreport.statistics.unpaired import newcombe_hybrid


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("diff")
    audit(folder, (40, 10, 10, 90), 1)
    audit(folder, (25, 25, 12, 108), 2, spec=SPEC.replace("at_least: 0.7", "at_least: 0.70"))
    first, second = sorted(p for p in (folder / "runs").iterdir() if p.name[0] == "2")
    return first, second


def measure(found: dict[str, Any], metric: str) -> dict[str, Any]:
    chosen = [m for m in found["measures"] if m["metric"] == metric]
    assert len(chosen) == 1
    return dict(chosen[0])


def test_a_share_changes_by_its_counts(two: tuple[Path, Path]) -> None:
    """Recall 40/50 -> 25/50: a fall of 0.3."""
    recall = measure(differences(*two), "recall")
    assert recall["difference"] == -0.3
    limits = newcombe_hybrid(25, 50, 40, 50, 0.95)
    assert limits is not None
    assert (recall["interval"]["low"], recall["interval"]["high"]) == tuple(limits)
    # pooled 65/100: z = -0.3 / sqrt(0.65 * 0.35 * (1/50 + 1/50))
    assert recall["statistic"] == pytest.approx(-0.3 / math.sqrt(0.2275 * 0.04), rel=1e-12)
    assert recall["beyond_chance"] is True
    specificity = measure(differences(*two), "specificity")
    assert (specificity["difference"], specificity["beyond_chance"]) == (0.0, False)


def test_other_values_use_their_own_intervals(two: tuple[Path, Path]) -> None:
    brier = measure(differences(*two), "brier")
    old, new = brier["old"], brier["new"]
    down = math.hypot(new["value"] - new["interval"]["low"], old["interval"]["high"] - old["value"])
    assert brier["interval"]["method"] == "square_and_add"
    assert brier["interval"]["low"] == pytest.approx(brier["difference"] - down, rel=1e-12)


def test_criteria_labels_and_files(two: tuple[Path, Path]) -> None:
    found = differences(*two)
    (criterion,) = found["criteria"]
    assert (criterion["change"], criterion["old"], criterion["new"]) == ("flipped", "pass", "fail")
    (rows,) = found["rows"]
    assert rows["rows"]["used"] == [150, 170]
    counts = {c["label"]: (c["old"], c["new"]) for c in rows["labels"]["counts"]}
    assert counts == {"well": (100, 120), "ill": (50, 50)}
    shares = [(100 / 150, 120 / 170), (50 / 150, 50 / 170)]
    psi = sum((b - a) * math.log(b / a) for a, b in shares)
    assert rows["labels"]["psi"] == pytest.approx(psi, rel=1e-12)
    assert rows["labels"]["df"] == 1
    (file,) = found["files"]
    assert (file["same"], file["old"]["rows"], file["new"]["rows"]) == (False, 150, 170)
    assert found["spec"] == found["versions"] == []


def test_scores_are_compared_value_by_value(two: tuple[Path, Path]) -> None:
    """Shares of scores below 0.5: 110/150, then 133/170; no score is in the highest tenth now."""
    (scores,) = differences(*two)["scores"]
    assert scores["ks"] >= 133 / 170 - 110 / 150
    assert (scores["bins"], scores["psi"]) == (10, None)
    assert "empty on one side" in scores["psi_reason"]


def test_score_shift_by_hand() -> None:
    """Half and half becomes 12 of 20 and 8 of 20: 0.1 ln 1.2 - 0.1 ln 0.8, and a gap of 0.1."""
    old, new = Sample([(0.1, 10), (0.9, 10)]), Sample([(0.1, 12), (0.9, 8)])
    found = score_shift(("d", "m", "ill"), old, new)
    assert found.psi == pytest.approx(0.1 * math.log(1.2) - 0.1 * math.log(0.8), rel=1e-12)
    assert found.ks == pytest.approx(0.1, rel=1e-12)
    assert found.ks_bounds is None
    assert found.cuts == (0.1,)


def test_the_same_rows_differ_by_no_chance(tmp_path: Path) -> None:
    counts = (40, 10, 10, 90)
    audit(tmp_path, counts, 1)
    audit(tmp_path, counts, 2, "--set", "thresholds=[0.05]")
    first, second = sorted(p for p in (tmp_path / "runs").iterdir() if p.name[0] == "2")
    found = differences(first, second)
    assert [c["key"] for c in found["spec"]] == ["thresholds[0.05]"]
    recall = [m for m in found["measures"] if m["metric"] == "recall"]
    assert [m["change"] for m in recall] == ["added", "removed"]
    brier = measure(found, "brier")
    assert (brier["difference"], brier["interval"], brier["beyond_chance"]) == (0.0, None, None)
    assert "same rows" in brier["interval_reason"]
    assert found["summary"]["tested"] == 0
    assert "none can be compared with chance" in page_text(diff_page(decode_as(Diff, found)))


@pytest.mark.parametrize(
    ("tested", "expected"), [(4, "less than 1"), (16, "about 1"), (100, "about 5")]
)
def test_what_chance_alone_would_give_is_a_count(
    two: tuple[Path, Path], tested: int, expected: str
) -> None:
    """At 95 % one in twenty: 4 / 20 = 0.2, 16 / 20 = 0.8, 100 / 20 = 5."""
    found = decode_as(Diff, differences(*two))
    text = summary_text(replace(found, summary=replace(found.summary, tested=tested)))
    assert text.endswith(f"; expected by chance: {expected}")


def test_text_json_and_page(
    two: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = map(str, two)
    assert status_of(["diff", old, new]) == 0
    text = capsys.readouterr().out
    lines = [line.split() for line in text.splitlines()]
    place = ["week,", "model,", "threshold", "0.5"]
    assert ["recall", ">=", "0.7", *place, "flipped", "✓", "passed", "✗", "failed"] in lines
    recall = next(line for line in lines if line[:3] == ["Recall", "of", "ill"])
    assert recall[3:10] == [*place, "0.800", "0.500", "−0.300"]
    assert recall[-2:] == ["✗", "worse"]
    assert status_of(["diff", old, new, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == differences(*two)
    page = tmp_path / "diff.html"
    assert status_of(["diff", old, new, "--html", str(page)]) == 0
    written = page.read_text(encoding="utf-8")
    assert "default-src 'none'" in written
    assert "−0.300" in written
    assert "<script" not in written


def test_an_improvement_is_not_drawn_as_a_loss(two: tuple[Path, Path], tmp_path: Path) -> None:
    """The other way round recall rises from 25 to 40 of 50, and the criterion passes again."""
    page = tmp_path / "diff.html"
    assert status_of(["diff", str(two[1]), str(two[0]), "--html", str(page)]) == 0
    (recall,) = (row for row in page.read_text(encoding="utf-8").split("<tr") if "Recall" in row)
    assert '<span class="st pass">✓ better' in recall
    assert "1 criterion flipped and 2 measures better beyond chance." in page.read_text("utf-8")
    assert '<span class="st fail">✗ worse' not in page.read_text(encoding="utf-8")


def test_what_is_no_run_is_refused(
    two: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status_of(["diff", str(tmp_path), str(two[0])]) == 4
    assert "give the folder of a run" in capsys.readouterr().err
    altered = tmp_path / "altered"
    altered.mkdir()
    for name in ("results.json", "MANIFEST.json"):
        (altered / name).write_bytes((two[0] / name).read_bytes())
    body = (altered / "results.json").read_bytes()
    (altered / "results.json").write_bytes(body.replace(b"0.8", b"0.9", 1))
    assert status_of(["diff", str(altered), str(two[0])]) == 5
    assert "altered" in capsys.readouterr().err


def test_a_run_against_itself_is_no_change(two: tuple[Path, Path]) -> None:
    found = differences(two[0], two[0])
    assert found["summary"]["differ"] == found["summary"]["flipped"] == 0
    assert {m["change"] for m in found["measures"]} == {"both"}
    assert len(found["measures"]) == len(results(two[0])["measures"])


def test_audits_are_reproducible(tmp_path: Path) -> None:
    weeks = [(40, 10, 10, 90), (30, 20, 10, 90)]
    one, two = (audits(tmp_path / name, weeks) for name in ("a", "b"))
    assert differences(*one) == differences(*two)
