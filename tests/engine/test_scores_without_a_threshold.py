"""Numbers of scores stand beside a table also where the rule of a threshold has no solution."""

from __future__ import annotations

import subprocess
import sys

import pytest

from evalreport import evaluate

Y = [0, 1, 0, 0, 1, 0, 0, 1, 0, 0]
P = [0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1]
#: The highest score is that of a negative row.
UNREACHED = {"at_least": {"precision": 0.9}}


@pytest.mark.parametrize(
    ("scores", "thresholds", "at"),
    [
        (P, [UNREACHED], 0.5),
        (P, [UNREACHED, 0.65], 0.65),
        ([p - 0.45 for p in P], [UNREACHED], 0.0),
    ],
    ids=["the usual one", "the next one", "that of margins"],
)
def test_the_table_of_a_number_of_scores(scores, thresholds, at) -> None:
    results = evaluate(Y, scores, metrics=["recall", "roc_auc"], threshold=thresholds)
    found = {m.metric: m for m in results.records.measures if m.threshold is None}
    assert (found["recall"].state, found["recall"].table) == ("undefined", None)
    (table,) = [t for t in results.records.tables if t.id == found["roc_auc"].table]
    assert table.threshold == at
    said = [s >= at for s in scores]
    pairs = list(zip(Y, said, strict=True))
    cells = [[pairs.count((a, b)) for b in (0, 1)] for a in (0, 1)]
    assert [list(row) for row in table.counts or ()] == cells
    # nobody asked for that threshold: the first page says nothing of it in words
    assert "In plain numbers" not in results.to_html()


@pytest.mark.long
def test_verify_knows_of_such_a_table(tmp_path) -> None:
    results = evaluate(Y, P, metrics=["recall", "roc_auc"], threshold=[UNREACHED])
    folder = results.save(tmp_path / "runs", formats=["html"])
    command = [sys.executable, "-m", "evalreport", "verify", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
