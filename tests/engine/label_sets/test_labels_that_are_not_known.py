"""Labels that are not known in some rows: each is evaluated on the rows that know it.

Expected values are those of scikit-learn on these rows, label by label.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from engine.label_sets.set_specs import AT, measure
from sklearn import metrics as peer

from evalreport import DataError, run
from evalreport.render.html import built
from evalreport.results.codec import decode
from evalreport.verify.recompute import recompute

LABELS = ("edema", "nodule", "mass")
RNG = np.random.default_rng(9)
N = 400
TRUTH = (RNG.random((N, 3)) < [0.4, 0.3, 0.2]).astype(int)
SCORES = np.round(np.clip(0.3 + 0.35 * TRUTH + RNG.normal(0, 0.22, (N, 3)), 0, 1), 3)
UNKNOWN = RNG.random((N, 3)) < 0.1
UNKNOWN[0] = True
KNOWN, WHOLE = ~UNKNOWN, ~UNKNOWN.any(axis=1)
GIVEN = (SCORES >= 0.5).astype(int)
GROUP = np.where(RNG.random(N) < 0.5, "A", "B")
METRICS = ["recall", "precision", "f1", "roc_auc", "exact_match", "hamming_loss", "ranking_loss"]


def spec_of(folder: Path, read: dict[str, Any] | None, code: object, **more: Any) -> Path:
    coded: Any = TRUTH.astype(object)
    coded[UNKNOWN] = code
    frame = {f"y_{x}": coded[:, k] for k, x in enumerate(LABELS)}
    frame |= {f"s_{x}": SCORES[:, k] for k, x in enumerate(LABELS)}
    frame["site"] = GROUP
    pd.DataFrame(frame).to_csv(folder / "d.csv", index=False)
    dataset = {
        "path": "d.csv",
        "target": {"labels": {x: f"y_{x}" for x in LABELS}},
        "missing": "exclude",
        **({} if read is None else {"read": read}),
        **more.pop("dataset", {}),
    }
    body = {
        "evalreport": 1,
        "datasets": {"d": dataset},
        "models": {"m": {"scores": {x: f"s_{x}" for x in LABELS}}},
        "metrics": METRICS,
        "averaging": ["none", "macro", "micro", "weighted", "samples"],
        "confidence": {"resamples": 200},
        **more,
    }
    (folder / "s.yaml").write_text(json.dumps(body))
    return folder / "s.yaml"


BY_COLUMN = {"missing": {f"y_{x}": ["-1"] for x in LABELS}}


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize(("read", "code"), [(BY_COLUMN, -1), (None, None)])
def test_each_label_is_evaluated_on_the_rows_that_know_it(tmp_path, engine, read, code) -> None:
    found = run(spec_of(tmp_path, read, code), engine=engine, at=AT).json
    assert found["provenance"]["engine"]["name"] == engine
    each = {}
    for k, label in enumerate(LABELS):
        rows = KNOWN[:, k]
        truth, given, scores = TRUTH[rows, k], GIVEN[rows, k], SCORES[rows, k]
        each[label] = peer.recall_score(truth, given)
        one = measure(found, "recall", label=label)
        assert one["value"] == pytest.approx(each[label], abs=1e-15)
        assert one["n"] == rows.sum()
        area = measure(found, "roc_auc", label=label)
        assert area["value"] == pytest.approx(peer.roc_auc_score(truth, scores), abs=1e-15)
        table = next(t for t in found["tables"] if t["id"] == one["table"])
        assert table["counts"] == peer.confusion_matrix(truth, given).tolist()
    macro = measure(found, "recall", average="macro")
    assert macro["value"] == pytest.approx(np.mean(list(each.values())), abs=1e-15)
    flat = KNOWN.ravel()
    micro = peer.precision_score(TRUTH.ravel()[flat], GIVEN.ravel()[flat])
    assert measure(found, "precision", average="micro")["value"] == pytest.approx(micro, abs=1e-15)
    area = peer.roc_auc_score(TRUTH.ravel()[flat], SCORES.ravel()[flat])
    assert measure(found, "roc_auc", average="micro")["value"] == pytest.approx(area, abs=1e-15)


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_means_over_rows_are_of_the_rows_that_know_every_label(tmp_path, engine) -> None:
    found = run(spec_of(tmp_path, BY_COLUMN, -1), engine=engine, at=AT).json
    truth, given, scores = TRUTH[WHOLE], GIVEN[WHOLE], SCORES[WHOLE]
    some = truth.any(axis=1)
    expected = {
        "exact_match": peer.accuracy_score(truth, given),
        "hamming_loss": peer.hamming_loss(truth, given),
        "ranking_loss": peer.label_ranking_loss(
            truth[some & ~truth.all(axis=1)], scores[some & ~truth.all(axis=1)]
        ),
    }
    partly = (N - 1) - WHOLE.sum()
    for name, value in expected.items():
        one = measure(found, name)
        assert one["value"] == pytest.approx(value, abs=1e-12), name
        # ranks need a label that the row has and one that it has not
        ranked = (some & ~truth.all(axis=1)).sum() if name == "ranking_loss" else WHOLE.sum()
        assert one["n"] == ranked
        assert f"{partly} of {N - 1} rows do not know every label" in one["reason"]
    samples = measure(found, "recall", average="samples")
    assert samples["value"] == pytest.approx(
        peer.recall_score(truth[some], given[some], average="samples"), abs=1e-12
    )
    # Wilson's limits of exact_match by their formula, on the rows that know every label
    n, p, z = int(WHOLE.sum()), expected["exact_match"], 1.959963984540054
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    limits = measure(found, "exact_match")["interval"]
    assert (limits["low"], limits["high"]) == pytest.approx((centre - half, centre + half))


def test_the_account_of_rows_says_how_many_do_not_know_a_label(tmp_path) -> None:
    found = run(spec_of(tmp_path, BY_COLUMN, -1, subgroups=["site"]), at=AT).json
    (rows,) = found["rows"]
    assert rows["excluded"] == [{"reason": "no label is known", "count": 1}]
    assert rows["unknown"] == [
        {"label": x, "count": int(UNKNOWN[1:, k].sum())} for k, x in enumerate(LABELS)
    ]
    text = str(built(decode(found), "standard"))
    assert "edema: not known" in text
    for k, label in enumerate(LABELS):
        inside = KNOWN[:, k] & (GROUP == "A")
        one = next(
            m
            for m in found["measures"]
            if (m["metric"], m["label"], m["subgroup"]) == ("recall", label, {"site": "A"})
        )
        assert one["value"] == pytest.approx(
            peer.recall_score(TRUTH[inside, k], GIVEN[inside, k]), abs=1e-15
        )
        assert one["n"] == inside.sum()
    assert not recompute(found).problems
    measure(found, "recall", label="mass")["n"] += 1  # type: ignore[index]
    assert any(": n is " in str(p) for p in recompute(found).problems)


def test_limits_of_averages_rest_on_what_is_known(tmp_path) -> None:
    """The bootstrap of macro recall against draws of rows by hand."""
    methods = {"recall": "bootstrap_percentile"}
    more = {"metrics": ["recall"], "confidence": {"resamples": 2000, "methods": methods}}
    found = run(spec_of(tmp_path, BY_COLUMN, -1, **more), at=AT).json
    limits = measure(found, "recall", average="macro")["interval"]
    rng, values = np.random.default_rng(1), []
    hit, ill = (TRUTH & GIVEN & KNOWN)[1:], (TRUTH & KNOWN)[1:]
    for _ in range(2000):
        rows = rng.integers(0, N - 1, N - 1)
        values.append((hit[rows].sum(axis=0) / ill[rows].sum(axis=0)).mean())
    low, high = np.percentile(values, [2.5, 97.5])
    assert limits["low"] == pytest.approx(low, abs=0.01)
    assert limits["high"] == pytest.approx(high, abs=0.01)
    more["confidence"] = {"methods": {"recall": "sandwich"}}
    found = run(spec_of(tmp_path, BY_COLUMN, -1, **more), at=AT).json
    limits = measure(found, "recall", average="macro")["interval"]
    error = (limits["high"] - limits["low"]) / 2 / 1.959963984540054
    assert error == pytest.approx(np.std(values, ddof=1), rel=0.06)


def test_weights_and_clusters_go_with_the_rows_that_know_a_label(tmp_path) -> None:
    path = spec_of(tmp_path, BY_COLUMN, -1, dataset={"weight": "w", "cluster": "c"})
    frame = pd.read_csv(tmp_path / "d.csv")
    weight = np.round(RNG.random(N) + 0.5, 2)
    frame.assign(w=weight, c=np.arange(N) // 4).to_csv(tmp_path / "d.csv", index=False)
    found = run(path, at=AT).json
    for k, label in enumerate(LABELS):
        rows = KNOWN[:, k]
        expected = peer.recall_score(TRUTH[rows, k], GIVEN[rows, k], sample_weight=weight[rows])
        one = measure(found, "recall", label=label)
        assert one["value"] == pytest.approx(expected, abs=1e-12)
        assert one["weight"] == pytest.approx(weight[rows].sum(), abs=1e-9)
    assert measure(found, "f1", average="macro")["interval"] is not None
    assert recompute(found).problems == ()


def test_a_gap_is_a_mistake_unless_it_may_be_left_out(tmp_path) -> None:
    path = spec_of(tmp_path, BY_COLUMN, -1, dataset={"missing": "error"})
    with pytest.raises(DataError, match="y_edema is empty"):
        run(path, at=AT)


def test_given_labels_may_be_unknown_too(tmp_path) -> None:
    """One row without a said label for a: that pair counts nowhere, by hand."""
    (tmp_path / "d.csv").write_text("ya,yb,pa,pb\n1,0,1,0\n1,1,,1\n0,1,1,1\n1,0,0,0\n")
    body = {
        "evalreport": 1,
        "datasets": {
            "d": {
                "path": "d.csv",
                "target": {"labels": {"a": "ya", "b": "yb"}},
                "missing": "exclude",
            }
        },
        "models": {"m": {"prediction": {"labels": {"a": "pa", "b": "pb"}}}},
        "metrics": ["recall", "exact_match"],
    }
    (tmp_path / "s.yaml").write_text(json.dumps(body))
    found = run(tmp_path / "s.yaml", at=AT).json
    assert measure(found, "recall", label="a")["value"] == 1 / 2
    assert measure(found, "recall", label="b")["value"] == 1
    assert measure(found, "exact_match")["value"] == 1 / 3
    assert recompute(found).problems == ()
