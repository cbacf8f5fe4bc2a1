"""How long many metrics of three models take, and ranks and losses of a million weighted rows.

Run from the repository: ``PYTHONPATH=tests python -m benchmarks.bench_many_metrics``. The first:
1 400 rows, three models, 59 metrics, every difference from the first model; once without a page,
with the HTML page and with both pages. The second: average precision and log loss.
"""

from __future__ import annotations

import csv
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from benchmarks.bench_audit import best

MANY, ROWS, WEIGHTED_ROWS = 59, 1_400, 1_000_000
GIVEN: dict[str, dict[str, Any]] = {
    "fbeta": {"beta": 2}, "weighted_kappa": {"weights": "linear"},
    "ppv_at_prevalence": {"prevalence": 0.1}, "npv_at_prevalence": {"prevalence": 0.1},
    "partial_auc": {"max_fpr": 0.5}, "gain": {"top": 0.2}, "lift": {"top": 0.2},
}  # fmt: skip


def many() -> list[Any]:
    """The first metrics of the catalogue that two classes with one score have, with intervals."""
    from evalreport.metrics.catalogue import catalogue
    from evalreport.metrics.declare import Interval, Table

    kinds = (Table.COUNTS, Table.MATRIX, Table.SCORES)
    own = [m.name for m in catalogue() if m.table in kinds and m.interval is not Interval.NONE]
    chosen = [name for name in own if name not in ("impact_ratio", "softmax_cost")][:MANY]
    return [{name: GIVEN[name]} if name in GIVEN else name for name in chosen]


def scores(rows: int, *apart: float) -> tuple[npt.NDArray[Any], ...]:
    """Whether rows are positive, and a score of each model."""
    rng = np.random.default_rng(20261121)
    actual = rng.random(rows) < 0.3
    noise = (rng.normal(size=rows) for _ in apart)
    logits = (far * actual - 0.8 + own for far, own in zip(apart, noise, strict=True))
    return actual.astype(int), *(np.round(1 / (1 + np.exp(-one)), 6) for one in logits)


def written(folder: Path, columns: dict[str, npt.NDArray[Any]], **spec: Any) -> Path:
    """A spec beside a file of these columns."""
    with (folder / "rows.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(
            zip(*([k, *v.tolist()] for k, v in columns.items()), strict=True)
        )
    dataset = {"path": "rows.csv", "target": "y", **({"weight": "w"} if "w" in columns else {})}
    path = folder / "spec.yaml"
    whole = {"evalreport": 1, "title": "Many", "datasets": {"d": dataset}, **spec}
    path.write_text(json.dumps(whole), encoding="utf-8")
    return path


def timed(spec: Path, formats: str, times: int = 3) -> None:
    """Print the least of several runs."""
    command = [sys.executable, "-m", "evalreport", "run", str(spec), "-o", f"{spec.parent}/runs"]
    found = best([*command, "--quiet", "--formats", formats], times)
    print(f"{formats}: {found.processor:.2f} s processor, {found.seconds:.2f} s clock, ", end="")
    print(f"{found.megabytes:.0f} MB")


def main() -> None:
    """Both, each in its own folder."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        actual, *own = scores(ROWS, 1.4, 1.2, 0.9)
        models = {f"m{k}": {"score": f"s{k}"} for k in range(len(own))}
        spec = written(
            folder,
            {"y": actual, **{f"s{k}": one for k, one in enumerate(own)}},
            models=models,
            metrics=many(),
            costs={"false_negative": 5, "false_positive": 1},
            comparisons={"reference": "m0"},
        )
        for formats in ("json", "html", "html,pdf"):
            timed(spec, formats)
    with tempfile.TemporaryDirectory() as name:
        actual, score = scores(WEIGHTED_ROWS, 1.3)
        weights = np.random.default_rng(1).choice([0.5, 1.0, 1.5, 2.5], WEIGHTED_ROWS)
        metrics = ["average_precision", "log_loss"]
        columns = {"y": actual, "s": score, "w": weights}
        spec = written(Path(name), columns, models={"m": {"score": "s"}}, metrics=metrics)
        for formats in ("json", "html"):
            timed(spec, formats)


if __name__ == "__main__":
    main()
