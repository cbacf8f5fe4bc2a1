"""What two models say of the rows that both use, as kinds of rows with how many there are.

One count by true class, fold and what each model says serves every comparison of the two:
by the label that each gives, or by the thresholds that its score reaches, as long as only
classification tables are compared; by the scores themselves where scores are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from evalreport.engine.counting import queries
from evalreport.engine.counting.answering import Columns, CountedRows
from evalreport.engine.counting.binned_kinds import edges_of, grain_of, in_bins
from evalreport.engine.counting.counted_rows import PREDICTED, TARGET, Known
from evalreport.engine.counting.counted_view import FOLD, CountedView, Numbers
from evalreport.engine.counting.keys import Key
from evalreport.engine.counting.kinds import NOT_ASKED, Joint
from evalreport.engine.counting.scored_kinds import KIND_BYTES, few_kinds
from evalreport.predict.view import LabelView

Codes = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Side:
    """A counted model, what is known of it, and its thresholds (none where it gives labels)."""

    view: CountedView
    known: Known
    cuts: tuple[float, ...]

    def key(self) -> Key | None:
        """The column of labels that the model gives; None where it gives scores."""
        if self.view.has_score:
            return None
        return Key(str(self.known.roles.prediction), self.known.codes[PREDICTED])

    def score(self, rows: CountedRows) -> queries.Tree:
        """The score of a row as a double."""
        roles = self.known.roles
        return queries.number(rows.field(str(roles.score or roles.margin)))


def with_joints(
    rows: CountedRows,
    views: Sequence[tuple[CountedView, Known]],
    pairs: Sequence[tuple[str, str]],
    numbers: Numbers,
    by_score: bool,
    memory: int,
) -> list[CountedView]:
    """The views, each with its joint kinds by the model that it is compared with.

    ``pairs`` names models and their references; ``by_score``: whether scores are compared,
    for which ``memory`` bytes may be taken.
    """
    sides = {
        view.model: Side(view, known, tuple(sorted(set(numbers(view)))) if view.has_score else ())
        for view, known in views
    }
    found: dict[str, dict[str, Joint]] = {}
    for model, reference in pairs:
        if model in sides and reference in sides:
            joint = _joint(rows, sides[model], sides[reference], by_score, memory)
            found.setdefault(model, {})[reference] = joint
    return [replace(view, joints=found.get(view.model, {})) for view, _ in views]


def _joint(rows: CountedRows, one: Side, two: Side, by_score: bool, memory: int) -> Joint:
    both = (one, two)
    cut = _kinds(rows, both, by_score=False)
    scored = [side.view.has_score for side in both]
    if not all(scored):
        return replace(cut, cut="only one of the two models has scores") if any(scored) else cut
    if not by_score:
        return replace(cut, cut=NOT_ASKED)
    names = [str(side.known.roles.score or side.known.roles.margin) for side in both]
    if any(name in rows.binned for name in names):
        return replace(cut, cut="scores are known by their bins alone")
    most = max(1_000, memory // KIND_BYTES)
    if few_kinds(rows, _trees(rows, both, by_score=True), _used(both), cut.first.rows, most):
        return _kinds(rows, both, by_score=True)
    return _binned(rows, both, cut, most)


def _used(both: tuple[Side, Side]) -> queries.Tree | None:
    wheres = [side.known.where for side in both if side.known.where is not None]
    return queries.all_of(wheres) if wheres else None


def _keys(both: tuple[Side, Side]) -> list[Key]:
    """The columns that both share: the true label, and the fold where there is one."""
    known = both[0].known
    keys = [Key(known.roles.target, known.codes[TARGET])]
    if FOLD in known.codes:
        keys.append(Key(str(known.roles.fold), known.codes[FOLD]))
    return keys


def _trees(rows: CountedRows, both: tuple[Side, Side], by_score: bool) -> list[queries.Tree]:
    trees = [key.tree(rows) for key in _keys(both)]
    for side in both:
        key = side.key()
        if key is not None:
            trees.append(key.tree(rows))
        elif by_score:
            trees.append(side.score(rows))
        else:
            trees.append(queries.reached(side.score(rows), side.cuts))
    return trees


def _kinds(rows: CountedRows, both: tuple[Side, Side], by_score: bool) -> Joint:
    answer = rows.ask(queries.kinds(_trees(rows, both, by_score), _used(both), rows.times))
    columns = [f"k{i}" for i in range(len(answer) - 1)]
    shared = _keys(both)
    read = [key.read(rows, answer[name]) for key, name in zip(shared, columns, strict=False)]
    said = [
        _said(rows, side, answer, name, by_score)
        for side, name in zip(both, columns[len(shared) :], strict=True)
    ]
    order = np.lexsort((*said, *read))
    times = np.ma.getdata(answer["n"]).astype(np.int64)[order]
    views = [
        _view(side, [codes[order] for codes in read], values[order], times)
        for side, values in zip(both, said, strict=True)
    ]
    return Joint(views[0], views[1])


def _binned(rows: CountedRows, both: tuple[Side, Side], cut: Joint, most: int) -> Joint:
    """By bins of both scores; ``cut`` where even these are too many kinds."""
    keys = _keys(both)
    cells = len(both[0].view.labels) * max(len(both[0].known.codes.get(FOLD, ())), 1)
    grain = grain_of(cells, len(both), most)
    if grain is None:
        return replace(cut, cut="there are too many kinds of rows, even by bins of both scores")
    edges = [edges_of(side.view.all_scores, side.cuts, grain) for side in both]
    scores = [(side.score(rows), own) for side, own in zip(both, edges, strict=True)]
    trees = [key.tree(rows) for key in keys]
    answer = rows.ask(queries.binned_kinds(trees, scores, _used(both), rows.times))
    shared = [key.read(rows, answer[f"k{i}"]) for i, key in enumerate(keys)]
    places = [np.ma.getdata(answer[f"b{i}"]).astype(np.int64) for i in range(len(both))]
    order = np.lexsort((*places, *shared))
    times = np.ma.getdata(answer["n"]).astype(np.int64)[order]
    shared = [codes[order] for codes in shared]
    views = []
    for side, own, place in zip(both, edges, places, strict=True):
        kinds = _view(side, shared, place[order].astype(np.float64), times)
        seen = in_bins(kinds, place[order], own, side.view)
        # tables of all rows of a model are those of the pair where both use all of them
        views.append(seen if seen.rows == side.view.rows else seen.alone())
    return Joint(views[0], views[1])


def _said(rows: CountedRows, side: Side, answer: Columns, name: str, by_score: bool) -> Any:
    key = side.key()
    if key is not None:
        return key.read(rows, answer[name])
    values = np.ma.getdata(answer[name])
    if by_score:
        return values.astype(np.float64) + 0.0
    # any score that reaches just these thresholds: the highest of them
    stands = np.array([-np.inf, *side.cuts])
    return stands[values.astype(np.int64)]


def _view(side: Side, shared: Sequence[Codes], said: Any, times: Codes) -> LabelView:
    view, scored = side.view, side.view.has_score
    fold = None
    if len(shared) > 1 and view.fold is not None:
        fold = (shared[1].astype(np.int32), view.fold[1])
    return LabelView(
        dataset=view.dataset,
        model=view.model,
        source=view.source,
        labels=view.labels,
        positive=view.positive,
        actual=shared[0].astype(np.int32),
        row=np.arange(len(times)),
        predicted=None if scored else said.astype(np.int32),
        score=said if scored else None,
        fold=fold,
        indeterminate=view.indeterminate,
        ledger=view.ledger,
        times=times,
    )
