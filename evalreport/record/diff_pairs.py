"""Every measure of the rows that two runs share: the difference as of two models on them.

The rows become one dataset and the two runs two models of it, and the engine compares
them: the same tests and intervals as between models, and no second code for them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from evalreport.errors import EvalreportError
from evalreport.record.diff_rows import Said
from evalreport.results.identity import Quantity
from evalreport.results.records import Comparison, Measure

#: Rows and thresholds for which pairs are compared; more would take long.
MOST_ROWS = 1_000_000
MOST_THRESHOLDS = 4
CLOCK = "1970-01-01T00:00:00Z"

Key = tuple[Quantity, str | float | None]


def paired_changes(
    said: Said,
    old: Sequence[Measure],
    new: Sequence[Measure],
    confidence: Mapping[str, Any],
) -> dict[Key, Comparison]:
    """Comparisons of the shared rows by :func:`pair_key`, new minus old.

    ``old`` and ``new`` are the measures of one dataset and model, ``confidence`` the
    settings of the new run's spec. Empty where nothing can be paired.
    """
    if said.reason is not None or not 2 <= len(said.actual) <= MOST_ROWS:
        return {}
    found: dict[Key, Comparison] = {}
    scored = False
    for at, then, now in _thresholds(old, new)[:MOST_THRESHOLDS]:
        # at thresholds that differ only what is called positive can be compared
        by_score = said.score is not None and then == now
        scored = scored or by_score
        for record in _compared(said, new, (then, now), confidence, by_score=by_score):
            place = None if by_score and record.threshold is None else at
            found.setdefault((record.which.quantity, place), record)
    if said.score is not None and not scored:
        for record in _compared(said, new, (None, None), confidence, by_score=True):
            if record.threshold is None:
                found.setdefault((record.which.quantity, None), record)
    return found


def pair_key(measure: Measure) -> Key:
    """By what a measure finds its pair: what it measures, and at which threshold."""
    return measure.which.quantity._replace(indeterminate=None), _asked(measure)


def _asked(measure: Measure) -> str | float | None:
    """A threshold's rule, else its number."""
    return measure.threshold if measure.threshold_rule is None else measure.threshold_rule


def _thresholds(
    old: Sequence[Measure], new: Sequence[Measure]
) -> list[tuple[str | float | None, float | None, float | None]]:
    """Thresholds of both runs: what they are asked for as, the number then and now."""
    then, now = ({_asked(m): m.threshold for m in side if not m.subgroup}
                 for side in (old, new))  # fmt: skip
    shared = [key for key in now if key in then and key is not None]
    return [(key, then[key], now[key]) for key in shared] or [(None, None, None)]


def _compared(
    said: Said,
    measures: Sequence[Measure],
    thresholds: tuple[float | None, float | None],
    confidence: Mapping[str, Any],
    *,
    by_score: bool,
) -> Sequence[Comparison]:
    """The comparisons of a run with the two as models, by their scores or by their calls."""
    columns = said.score if by_score else _calls(said, thresholds)
    if columns is None:
        return ()
    # most runs keep no rows: who compares those waits for no engine
    from evalreport.engine.prepare import prepare
    from evalreport.engine.run import evaluate
    from evalreport.spec.load import parse_spec

    metrics = {m.which.quantity[:2]: m for m in measures}
    averages = [m.average for m in measures if m.average]
    spec: dict[str, Any] = {
        "evalreport": 1,
        "datasets": {"rows": {"target": "actual", "labels": list(said.labels)}},
        "models": {name: {"score" if by_score else "prediction": name} for name in ("new", "old")},
        "metrics": [{m.metric: dict(m.params)} if m.params else m.metric for m in metrics.values()],
        "averaging": ["none", *dict.fromkeys(averages)],
        "comparisons": {"reference": "old"},
        "confidence": {k: confidence[k] for k in ("level", "resamples", "seed") if k in confidence},
    }
    if said.positive is not None:
        spec["positive"] = {"label": said.labels[said.positive]}
    if by_score and thresholds[1] is not None:
        spec["thresholds"] = [thresholds[1]]
    frame = {
        "actual": [said.labels[code] for code in said.actual],
        "old": columns[0],
        "new": columns[1],
    }
    try:
        loaded = parse_spec(json.dumps(spec), "spec", (), frames=("rows",))
        return evaluate(prepare(loaded, {"rows": frame}, "memory"), CLOCK).comparisons
    except EvalreportError:
        return ()


def _calls(
    said: Said, thresholds: tuple[float | None, float | None]
) -> tuple[list[str], list[str]] | None:
    """The predicted labels then and now; None where there are none, or some are neither class."""
    if said.score is not None and said.positive is not None:
        then, now = thresholds
        if then is None or now is None:
            return None
        names = (said.labels[1 - said.positive], said.labels[said.positive])
        one, two = (
            [names[score >= at] for score in scores]
            for scores, at in zip(said.score, (then, now), strict=True)
        )
        return one, two
    if said.predicted is None or any(max(side) >= len(said.labels) for side in said.predicted):
        return None
    one, two = ([said.labels[code] for code in side] for side in said.predicted)
    return one, two
