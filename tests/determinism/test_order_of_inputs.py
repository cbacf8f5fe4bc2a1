"""Neither the order of rows, of files, nor of keys in the spec changes a number."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hostile.command import Workshop


def rows(seed: int | None) -> str:
    generator = random.Random(20261121)
    lines = [
        f"{n},{generator.choice('ab')},{generator.randrange(0, 1000) / 1000}\n" for n in range(400)
    ]
    if seed is not None:
        random.Random(seed).shuffle(lines)
    return "id,y,s\n" + "".join(lines)


SPEC = """\
evalreport: 1
title: t
datasets:
{datasets}
models:
  m: {{score: s}}
metrics: [accuracy, f1, mcc, roc_auc, average_precision, brier, log_loss, ks, ece, h_measure]
thresholds: [0.5, {{maximize: youden_j}}]
confidence: {{resamples: 200, seed: 3}}
"""


@pytest.mark.parametrize("suffix", ["csv", "tsv"])
def test_order_of_files_and_rows(tmp_path: Path, suffix: str) -> None:
    """Two datasets, declared in either order, rows shuffled: the same points, to the last bit."""
    found = []
    for number, seed in enumerate((None, 1, 2)):
        workshop = Workshop(tmp_path / str(number))
        text = rows(seed)
        names = ["x", "w"] if number % 2 else ["w", "x"]
        for name in names:
            content = text.replace(",", "\t") if suffix == "tsv" else text
            workshop.file(f"{name}.{suffix}", content)
        listed = "\n".join(f"  {n}: {{path: {n}.{suffix}, target: y, id: id}}" for n in names)
        workshop.spec(SPEC.format(datasets=listed))
        results = workshop.done().results
        found.append({
            (m["dataset"], m["metric"], m["threshold_rule"], m["threshold"]): (
                m["state"], m["value"], m["numerator"], m["denominator"]
            )
            for m in results["measures"]
        })  # fmt: skip
    assert found[0] == found[1] == found[2]
