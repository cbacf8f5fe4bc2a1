"""The assumed truth as the chances of the four cells, from expected values of any metrics.

Three numbers fix a two-class table: the prevalence, recall and specificity. Each expected value
is an equation in them. What is asked of a study may depend on fewer: recall on the positives
needs no prevalence. So each question is asked whether the expected values settle it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt

from evalreport.errors import Problem, SpecError
from evalreport.metrics.catalogue import find
from evalreport.metrics.declare import Metric, Table
from evalreport.metrics.tables import Counts
from evalreport.values import dataclass

Array = npt.NDArray[np.float64]
#: Cells as chances, in the order of the tables: TP, FN, FP, TN.
Question = Callable[[Array], Array]

#: A value is settled where it moves by less than this along every direction that is left free.
SETTLED = 1e-6
START = (0.3, 0.8, 0.85)


@dataclass(frozen=True)
class Truth:
    """Chances of the cells in the population, and what is left open about them.

    ``cells``: TP, FN, FP, TN, sum 1. ``free``: directions in prevalence, recall and specificity
    (rows) that the expected values leave open.
    """

    cells: Array
    point: Array
    free: Array

    def settles(self, question: Question) -> bool:
        """Whether the expected values fix the answer to a question on the cells."""
        here = float(question(self.cells))
        for direction in self.free:
            for step in (-0.01, 0.01):
                moved = np.clip(self.point + step * direction, 1e-9, 1 - 1e-9)
                if abs(float(question(_cells(moved))) - here) > SETTLED:
                    return False
        return True

    def enriched(self, share: float) -> Truth:
        """The same classifier on a sample with this share of positives."""
        point = np.array([share, *self.point[1:]])
        left = np.array([d for d in self.free if abs(d[0]) < 1e-9]).reshape(-1, 3)
        return Truth(_cells(point), point, left)


def truth_of(expect: Mapping[str, float]) -> Truth:
    """The cells under which every expected value holds.

    Values of score metrics say nothing of cells and are left to whoever draws scores. Raises
    SpecError where no table has all of the expected values.
    """
    from scipy.optimize import least_squares

    wanted = [(m, value) for name, value in expect.items() if (m := table_metric(name))]

    def missed(point: Array) -> Array:
        cells = _cells(point)
        return np.array([float(value_of(m, {}, cells)) - value for m, value in wanted])

    if not wanted:
        point = np.array(START)
        return Truth(_cells(point), point, np.eye(3))
    exact = {"xtol": 1e-15, "ftol": 1e-15, "gtol": 1e-15}
    found = least_squares(missed, START, bounds=(1e-9, 1 - 1e-9), **exact)
    if float(np.abs(found.fun).max()) > 1e-6:
        told = ", ".join(f"{name} {value:g}" for name, value in expect.items())
        raise SpecError(Problem(f"design.expect: no table has {told} together",
                                "values that go together"))  # fmt: skip
    point = np.asarray(found.x, np.float64)
    _, sizes, directions = np.linalg.svd(np.asarray(found.jac), full_matrices=True)
    rank = int((sizes > 1e-7 * sizes.max()).sum()) if len(sizes) else 0
    return Truth(_cells(point), point, np.asarray(directions[rank:], np.float64))


def table_metric(name: str) -> Metric | None:
    """The metric, where it is one of the four cells."""
    metric = find(name)
    return metric if metric is not None and metric.table is Table.COUNTS else None


def value_of(metric: Metric, params: Mapping[str, object], cells: Array) -> Array:
    """The metric of tables given as (..., 4): TP, FN, FP, TN; NaN where it is undefined."""
    counts = Counts(tp=cells[..., 0], fn=cells[..., 1], fp=cells[..., 2], tn=cells[..., 3])
    # derivatives are taken by complex steps, so the type of the cells is kept
    return np.asarray(metric(counts, **metric.arguments(dict(params))).array())


def _cells(point: Array) -> Array:
    prevalence, recall, specificity = point
    return np.array(
        [
            prevalence * recall,
            prevalence * (1 - recall),
            (1 - prevalence) * (1 - specificity),
            (1 - prevalence) * specificity,
        ]
    )
