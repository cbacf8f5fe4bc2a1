"""Rows of two runs paired by id: added, removed, changed, and differences on the same rows."""

from __future__ import annotations

import json
import random
import stat
from pathlib import Path
from typing import Any

import pytest
from runs.diff_as_json import differences
from schedules.weekly_runs import SPEC, results

from evalreport.api import run
from evalreport.cli import status_of
from evalreport.statistics.paired import mcnemar_exact

KEEPING = SPEC.replace("    id: case\n", "    id: case\n    keep_rows: true\n").replace(
    "f1, brier", "f1, brier, roc_auc"
)
Rows = dict[str, tuple[str, float]]


def cases(seed: int, first: int, count: int, shift: float = 0.0) -> Rows:
    """Case number to truth and score; the truth of a number is always the same."""
    found: Rows = {}
    for number in range(first, first + count):
        truth = "ill" if random.Random(number).random() < 0.4 else "well"
        noise = random.Random(seed * 100_000 + number).gauss(0, 0.2)
        score = (0.65 if truth == "ill" else 0.35) + noise + shift
        found[f"patient-{number}"] = (truth, min(0.999, max(0.001, score)))
    return found


def audit(folder: Path, rows: Rows, day: int, spec: str = KEEPING, runs: str = "runs") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    lines = [f"{case},{truth},{score:.6f}" for case, (truth, score) in rows.items()]
    (folder / "week.csv").write_text("\n".join(["case,truth,score", *lines]) + "\n")
    (folder / "audit.yaml").write_text(spec, encoding="utf-8")
    at = f"2026-11-{day:02d}T06:00:00Z"
    done = ["run", str(folder / "audit.yaml"), "-o", str(folder / runs), "--at", at, "--quiet"]
    assert status_of(done) in (0, 1)
    return (folder / runs / "latest").resolve()


def measure(found: dict[str, Any], metric: str) -> dict[str, Any]:
    (chosen,) = [m for m in found["measures"] if m["metric"] == metric]
    return dict(chosen)


@pytest.fixture(scope="module")
def same_people(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The same 200 people, scored by a model and by the next one."""
    folder = tmp_path_factory.mktemp("same")
    return audit(folder, cases(1, 0, 200), 1), audit(folder, cases(2, 0, 200, -0.1), 2)


def test_the_same_rows_are_compared_as_two_models_are(same_people: tuple[Path, Path]) -> None:
    """The differences are those of a spec that compares both scores on the rows."""
    found = differences(*same_people)
    (rows,) = found["rows_by_id"]
    assert (rows["added"], rows["removed"], rows["both"], rows["changed"]) == (0, 0, 200, 199)
    one, two = cases(1, 0, 200), cases(2, 0, 200, -0.1)
    frame = {
        "truth": [truth for truth, _ in one.values()],
        "old": [float(f"{score:.6f}") for _, score in one.values()],
        "new": [float(f"{score:.6f}") for _, score in two.values()],
    }
    direct = run(
        {
            "evalreport": 1,
            "datasets": {"d": {"target": "truth", "labels": ["well", "ill"]}},
            "positive": {"label": "ill"},
            "models": {"new": {"score": "new"}, "old": {"score": "old"}},
            "metrics": ["recall", "brier", "roc_auc", "accuracy"],
            "comparisons": {"reference": "old"},
        },
        frames={"d": frame},
    ).json["comparisons"]
    for expected in direct:
        told = measure(found, expected["metric"])
        assert told["difference"] == pytest.approx(expected["difference"], abs=1e-12)
        assert told["interval"]["method"] == expected["interval"]["method"]
        assert told["interval"]["low"] == pytest.approx(expected["interval"]["low"], abs=1e-12)
        assert told["test"] == expected["test"]
        assert told["p_value"] == pytest.approx(expected["p_value"], rel=1e-9)
        assert told["paired"]["rows"] == 200
        assert told["note"] == "the same rows in both runs, paired by their ids"


def test_mcnemar_of_the_shared_ill(same_people: tuple[Path, Path]) -> None:
    one, two = cases(1, 0, 200), cases(2, 0, 200, -0.1)
    ill = [case for case, (truth, _) in one.items() if truth == "ill"]
    lost = sum(one[c][1] >= 0.5 > two[c][1] for c in ill)
    won = sum(two[c][1] >= 0.5 > one[c][1] for c in ill)
    recall = measure(differences(*same_people), "recall")
    assert recall["difference"] == pytest.approx((won - lost) / len(ill), abs=1e-12)
    assert recall["test"] == "mcnemar_exact"
    assert recall["p_value"] == pytest.approx(mcnemar_exact(won, lost))


def test_text_says_so_and_never_whose_rows(
    same_people: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert status_of(["diff", *map(str, same_people)]) == 0
    told = capsys.readouterr().out
    assert "0 rows added, 0 removed, 200 in both, of which 199 changed" in told
    assert "McNemar" in told or "Newcombe" in told
    kept = (same_people[1] / "rows.json").read_text()
    assert "patient" not in kept
    assert status_of(["verify", str(same_people[1])]) == 0
    key = same_people[1].parent / ".rows-key"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert not any(key.read_bytes() in p.read_bytes() for p in same_people[1].iterdir())


def test_rows_added_removed_and_changed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """100 people; 20 leave, 30 come, 5 get another score and 2 another truth."""
    before = cases(1, 0, 100)
    after = {**dict(list(before.items())[20:]), **cases(1, 100, 30)}
    for case in list(before)[20:25]:
        after[case] = (before[case][0], 0.5)
    for case in list(before)[30:32]:
        after[case] = ("well" if before[case][0] == "ill" else "ill", before[case][1])
    old, new = audit(tmp_path, before, 1), audit(tmp_path, after, 2)
    found = differences(old, new)
    (rows,) = found["rows_by_id"]
    assert (rows["rows"], rows["added"], rows["removed"]) == ([100, 110], 30, 20)
    assert (rows["both"], rows["changed"]) == (80, 7)
    (model,) = rows["models"]
    # rows whose truth changed are paired with nothing
    assert (model["both"], model["changed"]) == (78, 5)
    recall = measure(found, "recall")
    assert recall["interval"] is None
    assert "78 rows are in both runs and others in one" in recall["interval_reason"]
    assert recall["paired"]["rows"] == 78
    assert recall["paired"]["test"] == "mcnemar_exact"
    assert status_of(["diff", str(old), str(new)]) == 0
    assert "on the 78 rows in both" in capsys.readouterr().out
    page = tmp_path / "diff.html"
    assert status_of(["diff", str(old), str(new), "--html", str(page)]) == 0
    assert "30 rows added, 20 removed, 80 in both" in page.read_text(encoding="utf-8")


def test_other_people_are_independent(tmp_path: Path) -> None:
    old, new = audit(tmp_path, cases(1, 0, 100), 1), audit(tmp_path, cases(1, 500, 100), 2)
    found = differences(old, new)
    assert found["rows_by_id"][0]["both"] == 0
    recall = measure(found, "recall")
    assert recall["note"] == "no row is in both runs: they are independent"
    assert recall["interval"]["method"] == "newcombe_hybrid"


def test_thresholds_that_moved_compare_calls(tmp_path: Path) -> None:
    ruled = KEEPING.replace("metrics:", "thresholds: [{maximize: youden_j}]\nmetrics:")
    old = audit(tmp_path, cases(1, 0, 200), 1, ruled)
    new = audit(tmp_path, cases(2, 0, 200, -0.2), 2, ruled)
    recall = measure(differences(old, new), "recall")
    assert recall["old"]["threshold"] != recall["new"]["threshold"]
    assert recall["paired"]["difference"] == pytest.approx(recall["difference"], abs=1e-12)
    assert recall["test"] == "mcnemar_exact"
    assert measure(differences(old, new), "roc_auc")["test"] == "delong_score"


def test_a_column_that_came_is_no_change_of_rows(tmp_path: Path) -> None:
    rows = cases(1, 0, 60)
    more = KEEPING.replace("models:\n", "models:\n  rule: {prediction: truth}\n").replace(
        "{metric: recall, at_least: 0.7}", "{metric: recall, at_least: 0.7, model: model}"
    )
    old, new = audit(tmp_path, rows, 1), audit(tmp_path, rows, 2, more)
    (by_id,) = differences(old, new)["rows_by_id"]
    assert by_id["changed"] == 0


def test_other_keys_pair_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = cases(1, 0, 40)
    old, new = audit(tmp_path, rows, 1), audit(tmp_path, rows, 2, runs="others")
    (by_id,) = differences(old, new)["rows_by_id"]
    assert "different keys" in by_id["reason"]
    assert status_of(["diff", str(old), str(new)]) == 0
    assert "rows are not paired by id" in capsys.readouterr().out


def test_ids_that_are_not_unique_pair_nothing(tmp_path: Path) -> None:
    spec = KEEPING.replace("    id: case\n", "    id: case\n    cluster: case\n")
    rows = cases(1, 0, 40)
    run_folder = audit(tmp_path, rows, 1, spec)
    text = (tmp_path / "week.csv").read_text().splitlines()
    (tmp_path / "week.csv").write_text("\n".join([*text, text[1]]) + "\n")
    done = ["run", str(tmp_path / "audit.yaml"), "-o", str(tmp_path / "runs"), "--quiet"]
    assert status_of([*done, "--at", "2026-11-02"]) in (0, 1)
    (by_id,) = differences(run_folder, tmp_path / "runs" / "latest")["rows_by_id"]
    assert (by_id["both"], by_id["not_unique"]) == (39, [0, 2])
    assert by_id["models"][0]["reason"] == "rows have weights or clusters"


def test_altered_rows_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, new = audit(tmp_path, cases(1, 0, 40), 1), audit(tmp_path, cases(1, 0, 40), 2)
    kept = new / "rows.json"
    kept.chmod(0o644)
    kept.write_bytes(kept.read_bytes().replace(b"0", b"1", 1))
    assert status_of(["diff", str(old), str(new)]) == 5
    assert "altered" in capsys.readouterr().err


def test_nothing_is_kept_unless_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plain = SPEC
    old = audit(tmp_path, cases(1, 0, 40), 1, plain)
    new = audit(tmp_path, cases(2, 0, 40), 2, plain)
    assert not (new / "rows.json").exists()
    assert not (tmp_path / "runs" / ".rows-key").exists()
    assert differences(old, new)["rows_by_id"] == []
    assert status_of(["diff", str(old), str(new)]) == 0
    assert "neither run kept digests of its rows" in capsys.readouterr().out


def test_rows_without_an_id_cannot_be_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "audit.yaml").write_text(KEEPING.replace("    id: case\n", ""))
    assert status_of(["check", str(tmp_path / "audit.yaml")]) == 2
    assert "keep_rows pairs rows by their id" in capsys.readouterr().err


def test_what_is_kept_does_not_follow_the_order_of_the_file(tmp_path: Path) -> None:
    rows = cases(1, 0, 50)
    one = audit(tmp_path, rows, 1)
    two = audit(tmp_path, dict(reversed(rows.items())), 2)
    assert (one / "rows.json").read_bytes() == (two / "rows.json").read_bytes()
    kept = json.loads((one / "rows.json").read_text())
    own = kept["datasets"]["week"]["models"]["model"]
    assert len(own["score"]) == results(one)["rows"][0]["used"] == 50
