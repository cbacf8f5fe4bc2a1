"""The values of a counted audit by pandas and scikit-learn; no part of evalreport.

Arguments: a Parquet file, the part of the dataset and the rest of the spec as
:mod:`benchmarks.bench_counted` has them, and the columns of scores. No intervals, no page.
"""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
from sklearn import metrics


def measured(y: np.ndarray, p: np.ndarray, weight: np.ndarray | None) -> dict[str, float]:
    said = p >= 0.5
    given = {"sample_weight": weight}
    return {
        "accuracy": metrics.accuracy_score(y, said, **given),
        "balanced_accuracy": metrics.balanced_accuracy_score(y, said, **given),
        "precision": metrics.precision_score(y, said, **given),
        "recall": metrics.recall_score(y, said, **given),
        "specificity": metrics.recall_score(~y, ~said, **given),
        "roc_auc": metrics.roc_auc_score(y, p, **given),
        "log_loss": metrics.log_loss(y, p, **given),
        "brier": metrics.brier_score_loss(y, p, **given),
    }


def main() -> None:
    path, part, more, *scores = sys.argv[1:]
    groups = [name for name in ("sex", "site") if name in more]
    columns = ["truth", *scores, *groups]
    columns += ["weight"] if "weight" in part else []
    columns += ["day"] if "period" in part else []
    rows = pd.read_parquet(path, columns=columns)
    rows["truth"] = rows["truth"] == "sick"
    if "day" in rows:
        rows["day"] = pd.to_datetime(rows["day"]).dt.to_period("M")
        groups.append("day")
    slices = [("all", rows)]
    for name in groups:
        slices += list(rows.groupby(name))
    found = {}
    for name, held in slices:
        weight = held["weight"].to_numpy() if "weight" in held else None
        for score in scores:
            y, p = held["truth"].to_numpy(), held[score].to_numpy()
            found[name, score] = measured(y, p, weight)
    print(pd.DataFrame(found).T)


if __name__ == "__main__":
    main()
