"""Training histories: misclassifications and cost at each step, run by run.

The two disagree: a step with the lowest cost need not be one with the fewest
misclassifications, and the report says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from evalreport.errors import DataError, Problem
from evalreport.predict.linear import linear_value
from evalreport.predict.outcome import Codes, Floats, Output

#: Probabilities are kept this far from 0 and 1 in the log-loss.
CLIP = 1e-15


@dataclass(frozen=True, eq=False)
class BestStep:
    """A step that is best by something: what the model says there, and its weights.

    ``place``: of the step among those of the run. ``output``: of the rows of the dataset.
    ``weights``: by feature, None where the history holds predictions; ``bias`` likewise.
    """

    place: int
    output: Output
    weights: Mapping[str, float] | None = None
    bias: float | None = None


#: What a run says at one of its steps, given the run and the step.
Describe = Callable[[str, "float | int"], BestStep]


@dataclass(frozen=True)
class RunHistory:
    """One run, its steps in ascending order; all tuples are of the same length.

    ``cost_name``: ``softmax_cost`` of margins, ``log_loss`` of scores, None of labels,
    which have no cost. ``on_boundary``: rows whose margin is exactly 0. ``clipped``:
    probabilities moved away from 0 or 1 for the log-loss. ``best``: the steps that are best
    by mistakes and by cost, each once.
    """

    run: str
    steps: tuple[float | int, ...]
    rows: int
    misclassified: tuple[int, ...]
    cost: tuple[float, ...] | None
    cost_name: str | None
    on_boundary: tuple[int, ...] = ()
    clipped: tuple[int, ...] = ()
    best: tuple[BestStep, ...] = field(default=(), compare=False)

    @property
    def best_by_misclassified(self) -> int:
        """Place of the first step with the fewest misclassifications."""
        return min(range(len(self.steps)), key=lambda i: (self.misclassified[i], i))

    @property
    def best_by_cost(self) -> int | None:
        """Place of the first step with the lowest cost."""
        cost = self.cost
        if cost is None:
            return None
        return min(range(len(self.steps)), key=lambda i: (cost[i], i))

    @property
    def differ(self) -> bool:
        """Whether the step of lowest cost misclassifies more than the best step."""
        place = self.best_by_cost
        if place is None:
            return False
        return self.misclassified[place] > self.misclassified[self.best_by_misclassified]

    def sentence(self) -> str:
        """What to say of the best steps: mistakes and cost at both."""
        first, second = self.best_by_misclassified, self.best_by_cost
        if second is None or self.cost is None:
            return f"Run {self.run}: fewest mistakes at step {self._mistakes_at(first)}."
        name = str(self.cost_name).replace("_", " ")
        costs = [f"{name} {self.cost[place]:.4g}" for place in (first, second)]
        if first == second:
            return (
                f"Run {self.run}: fewest mistakes and lowest cost at step "
                f"{self._mistakes_at(first)}, {costs[0]}."
            )
        told = (
            f"Run {self.run}: fewest mistakes at step {self._mistakes_at(first)}, {costs[0]}; "
            f"lowest cost at step {self._mistakes_at(second)}, {costs[1]}."
        )
        if not self.differ:
            return f"{told} The step of lowest cost makes no more mistakes."
        return f"{told} {self._disagreement(first, second)}"

    def _mistakes_at(self, place: int) -> str:
        return f"{self.steps[place]}, {self.misclassified[place]} of {self.rows} rows wrong"

    def _disagreement(self, fewest: int, cheapest: int) -> str:
        """How mistakes and cost change between two steps of which each is better by one."""
        assert self.cost is not None
        start, end = sorted((fewest, cheapest))
        mistakes = f"from {self.misclassified[start]} to {self.misclassified[end]}"
        low, high = (f"{self.cost[place]:.4g}" for place in (start, end))
        cost = f"from {low} to {high}" if low != high else f"at {low}"
        between = f"From step {self.steps[start]} to step {self.steps[end]}"
        if fewest < cheapest:
            falls = "falls" if low != high else "stays"
            return f"{between} the cost {falls} {cost} while mistakes rise {mistakes}."
        rises = "rises" if low != high else "stays"
        return f"{between} mistakes fall {mistakes} while the cost {rises} {cost}."


def weight_history(
    steps: Sequence[float | int],
    runs: Sequence[str],
    bias: Floats,
    weights: Mapping[str, Floats],
    columns: Mapping[str, Floats],
    positive: npt.NDArray[np.bool_],
) -> tuple[RunHistory, ...]:
    """Histories of weights: one entry per run and step, applied to the n rows of a dataset.

    Args:
        steps: shape (m,), the step of each entry.
        runs: shape (m,), the run of each entry.
        bias: shape (m,).
        weights: for each feature its weight, shape (m,).
        columns: the same features of the dataset, each shape (n,).
        positive: whether each of the n rows is actually positive.

    A margin of 0 counts as positive, as everywhere a margin meets its threshold.
    Raises DataError for a step that occurs twice in a run.
    """
    values: dict[tuple[str, float | int], dict[str, Any]] = {}
    entries: dict[tuple[str, float | int], int] = {}
    for entry, (run, step) in enumerate(zip(runs, steps, strict=True)):
        _once(values, run, step)
        entries[run, step] = entry
        margin = linear_value(
            columns, float(bias[entry]), {name: float(w[entry]) for name, w in weights.items()}
        )
        values[run, step] = _of_margins(margin, positive)

    def describe(run: str, step: float | int) -> BestStep:
        entry = entries[run, step]
        own = {name: float(w[entry]) for name, w in weights.items()}
        value = linear_value(columns, float(bias[entry]), own)
        norm = math.sqrt(math.fsum(w * w for w in own.values())) or 1.0
        # As a model that is written out: the distance is the score, the sum has the cost.
        output = Output("margin", score=value / norm, margin_unit=norm)
        return BestStep(0, output, own, float(bias[entry]))

    return _runs(values, len(positive), describe)


def prediction_history(
    steps: Sequence[float | int],
    runs: Sequence[str],
    rows: Codes | None,
    actual: Codes,
    positive: int,
    *,
    margin: Floats | None = None,
    score: Floats | None = None,
    predicted: Codes | None = None,
) -> tuple[RunHistory, ...]:
    """Histories of predictions: one entry per run, step and row of a dataset of n rows.

    Args:
        steps: shape (m,).
        runs: shape (m,).
        rows: shape (m,), the row of the dataset of each entry; None where the entries of
            a step follow the rows of the dataset.
        actual: shape (n,), label codes of the dataset.
        positive: code of the positive class.
        margin: shape (m,), signed distances; exactly one of the three is given.
        score: shape (m,), probabilities of the positive class.
        predicted: shape (m,), label codes.

    Raises DataError for steps that lack rows of the dataset or have them twice, and for
    scores outside 0 and 1, which have no log-loss.
    """
    if sum(given is not None for given in (margin, score, predicted)) != 1:
        raise ValueError("exactly one of margin, score and predicted")
    if score is not None and len(score) and not (score.min() >= 0 and score.max() <= 1):
        raise DataError(
            Problem("scores of a history lie outside 0 to 1", "give probabilities, or use `margin`")
        )
    values: dict[tuple[str, float | int], dict[str, Any]] = {}
    grouped = _grouped(runs, steps)
    for key, entries in grouped.items():
        order = _in_dataset_order(key, entries, rows, len(actual))
        is_positive = actual == positive
        if margin is not None:
            values[key] = _of_margins(margin[order], is_positive)
        elif score is not None:
            values[key] = _of_scores(score[order], is_positive)
        else:
            assert predicted is not None
            values[key] = {"misclassified": int((predicted[order] != actual).sum())}

    def describe(run: str, step: float | int) -> BestStep:
        order = _in_dataset_order((run, step), grouped[run, step], rows, len(actual))
        if margin is not None:
            return BestStep(0, Output("margin", score=margin[order]))
        if score is not None:
            return BestStep(0, Output("score", score=score[order]))
        assert predicted is not None
        return BestStep(0, Output("prediction", predicted=predicted[order]))

    return _runs(values, len(actual), describe)


# -- the two criteria ------------------------------------------------------------------------


def _of_margins(margin: Floats, positive: npt.NDArray[np.bool_]) -> dict[str, Any]:
    signed = np.where(positive, margin, -margin)
    return {
        "misclassified": int(((margin >= 0) != positive).sum()),
        "cost": math.fsum(np.logaddexp(0.0, -signed).tolist()) / len(margin),
        "cost_name": "softmax_cost",
        "on_boundary": int((margin == 0).sum()),
    }


def _of_scores(score: Floats, positive: npt.NDArray[np.bool_]) -> dict[str, Any]:
    given = np.where(positive, score, 1.0 - score)
    return {
        "misclassified": int(((score >= 0.5) != positive).sum()),
        "cost": math.fsum((-np.log(np.maximum(given, CLIP))).tolist()) / len(score),
        "cost_name": "log_loss",
        "clipped": int((given < CLIP).sum()),
    }


# -- entries ---------------------------------------------------------------------------------


def _once(values: Mapping[Any, Any], run: str, step: float | int) -> None:
    if (run, step) in values:
        raise DataError(Problem(f"step {step} of run {run} occurs twice", "one row per step"))


def _grouped(
    runs: Sequence[str], steps: Sequence[float | int]
) -> dict[tuple[str, float | int], npt.NDArray[np.int64]]:
    found: dict[tuple[str, float | int], list[int]] = {}
    for entry, key in enumerate(zip(runs, steps, strict=True)):
        found.setdefault(key, []).append(entry)
    return {key: np.array(entries, np.int64) for key, entries in found.items()}


def _in_dataset_order(
    key: tuple[str, float | int], entries: npt.NDArray[np.int64], rows: Codes | None, n: int
) -> npt.NDArray[np.int64]:
    own = np.arange(len(entries)) if rows is None else rows[entries]
    distinct = len(np.unique(own))
    if len(entries) != n or distinct != n:
        run, step = key
        twice = f", {len(entries) - distinct} of them twice" if distinct < len(entries) else ""
        raise DataError(
            Problem(
                f"step {step} of run {run} has predictions for {len(entries)} rows{twice}, "
                f"the dataset has {n}",
                "one prediction per row and step",
            )
        )
    return entries[np.argsort(own, kind="stable")]


def _runs(
    values: Mapping[tuple[str, float | int], Mapping[str, Any]], rows: int, describe: Describe
) -> tuple[RunHistory, ...]:
    made = []
    for run in dict.fromkeys(run for run, _ in values):
        steps = sorted(step for name, step in values if name == run)
        own = [values[run, step] for step in steps]
        costs = tuple(entry["cost"] for entry in own if "cost" in entry)
        history = RunHistory(
            run=run,
            steps=tuple(steps),
            rows=rows,
            misclassified=tuple(entry["misclassified"] for entry in own),
            cost=costs or None,
            cost_name=own[0].get("cost_name"),
            on_boundary=tuple(e["on_boundary"] for e in own if "on_boundary" in e),
            clipped=tuple(e["clipped"] for e in own if "clipped" in e),
        )
        both = dict.fromkeys((history.best_by_misclassified, history.best_by_cost))
        best = tuple(
            replace(describe(run, steps[place]), place=place) for place in both if place is not None
        )
        made.append(replace(history, best=best))
    return tuple(made)
