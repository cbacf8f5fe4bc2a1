"""Every record of the results again, from the tables and curves in them alone.

One loop over the kinds of records: each is made again from the others and compared leaf by leaf,
or has a reason why the results alone cannot settle it. Every number of a record is counted as
recomputed, or as left out for a reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evalreport.errors import FilesError, Problem
from evalreport.metrics.methods import DRAWN
from evalreport.results import records as r
from evalreport.results.codec import decode
from evalreport.results.lookup import Results, parts
from evalreport.verify import failures
from evalreport.verify.accounts import NOTHING
from evalreport.verify.leaves import Made, Miscounted, numbers_in, reason_of, unlike
from evalreport.verify.rebuild_parts import REBUILT
from evalreport.verify.recorded_state import RecordedState
from evalreport.verify.recorded_tables import NotRecorded

_MALFORMED = (KeyError, TypeError, ValueError, AttributeError, IndexError, ArithmeticError,
              AssertionError, StopIteration, RuntimeError)  # fmt: skip


@dataclass
class Numbers:
    """The numbers of results.json: how many were recomputed, what was not, and what is wrong.

    ``left_out``: how many were not, by the part with the field, and the reason; ``numbers``: how
    many were, by part.
    """

    problems: tuple[Problem, ...] = ()
    recomputed: int = 0
    left_out: Counter[tuple[str, str]] = field(default_factory=Counter)
    numbers: Counter[str] = field(default_factory=Counter)

    @property
    def all(self) -> int:
        """How many numbers there are."""
        return self.recomputed + sum(self.left_out.values())

    @property
    def reasons(self) -> dict[str, dict[str, int]]:
        """What was not recomputed, by reason: how many numbers of each field; most first."""
        found: dict[str, dict[str, int]] = {}
        for (name, reason), count in sorted(self.left_out.items()):
            found.setdefault(reason, {})[name] = count
        return dict(sorted(found.items(), key=lambda one: -sum(one[1].values())))


def recompute(content: Any) -> Numbers:
    """Compare every record of results, read or as parsed JSON; never raises for what is in it.

    Raises LookupError where a kind of record is neither made again nor has a reason for it.
    """
    found = Numbers()
    try:
        results = content if isinstance(content, Results) else decode(content)
    except FilesError as error:
        found.problems += tuple(Problem(one.what, one.instead) for one in error.problems)
        return found
    again = RecordedState(results, REBUILT)
    for kind, part in parts().items():
        if kind not in REBUILT and kind not in UNSETTLED:
            raise LookupError(
                f"{kind.__name__} is not verified: say in REBUILT how it is made again, "
                "or in UNSETTLED why it cannot be"
            )
        own: tuple[Any, ...] = again.results.of(kind)
        made, problems = _rebuilt(kind, own, again)
        found.problems += tuple(Problem(f"{part}: {what}") for what in problems)
        for place, record in enumerate(own):
            called = named(part, place, record)
            for what in _compared(found, part, record, made[place], again):
                found.problems += (Problem(f"{called}: {what}"),)
    return found


def _compared(
    found: Numbers, part: str, record: Any, made: Made, again: RecordedState
) -> list[str]:
    """What is wrong with a record; its numbers are counted as recomputed or left out."""
    kind, left_out, wrong = type(record), made.left_out, list(made.problems)
    if "" not in left_out:
        try:
            apart = list(unlike(record, made.record, left_out))
        except _MALFORMED as error:
            apart = [("", f"cannot be compared: {error}")]
        below = failures.rests_on_failure(kind, again.results)
        if apart and below:
            left_out, apart = {"": failures.BELOW}, []
        elif not again.same_version:
            otherwise = {path for path, _ in apart}
            apart = [one for one in apart if _is_defined(record, one[0], otherwise)]
            left_out = {
                **left_out,
                **dict.fromkeys(otherwise.difference(dict(apart)), OTHER_VERSION),
            }
            if kind not in ACCOUNTS:
                by = f" (made by version {again.results.provenance.version})"
                apart = [(path, what + by) for path, what in apart]
        # what is wrong is reported once, in the words of a contradiction where there is one
        wrong = wrong or [what for _, what in apart]
    for path, count in numbers_in(record).items():
        reason = reason_of(path, left_out)
        if reason is None:
            found.recomputed += count
            found.numbers[part] += count
        else:
            found.left_out[f"{part}.{path.partition('.')[0]}", reason] += count
    return wrong


def _is_defined(record: Any, path: str, otherwise: Collection[str]) -> bool:
    """Whether a leaf has one value under any version; ``otherwise``: the paths that differ."""
    within, _, name = path.rpartition(".")
    if name in LIMITS:
        return f"{within}.method" not in otherwise and _have_method(record, within)
    # versions may thin curves otherwise
    return (name in DEFINED and not isinstance(record, r.Curve)) or type(record) in ACCOUNTS


def _have_method(record: Any, within: str) -> bool:
    """Whether limits at a path are by a named method that draws nothing."""
    found = [record]
    for name in within.split("."):
        each = (own if isinstance(own, tuple) else (own,) for own in found)
        found = [getattr(one, name, None) for own in each for one in own]
    methods = {getattr(one, "method", None) for one in found if one is not None}
    return methods.isdisjoint((None, *DRAWN))


def _rebuilt(kind: type, own: Sequence[Any], again: RecordedState) -> tuple[list[Made], list[str]]:
    """A record for each of a kind that is there, as it follows from the others; what is wrong."""
    why = UNSETTLED.get(kind, NOTHING)
    nothing, silenced = Made(None, {"": why}), not own and failures.silenced(kind, again.results)
    if kind not in REBUILT:
        return [nothing] * len(own), []
    made, wrong = tuple[Any, ...](), list[str]()
    try:
        made = tuple(again.part(kind))
        if len(made) != len(own):
            raise Miscounted(len(own), len(made))
    except NotRecorded as absent:
        return [Made(None, {"": str(absent)})] * len(own), []
    except Miscounted as apart:
        made, wrong = (), [str(apart)] if again.same_version else []
    except _MALFORMED as error:
        wrong = [f"cannot be made again: {type(error).__name__}: {error}"]
    found = [one if isinstance(one, Made) else Made(one) if one else nothing for one in made]
    return found or [nothing] * len(own), [] if silenced else wrong


#: What a record is called by, beside its place.
_NAMES = ("id", "dataset", "model", "reference", "metric", "average", "label", "text", "code",
          "section", "kind")  # fmt: skip


def named(part: str, place: int, record: Any) -> str:
    """How a record is called in a problem: ``measures[3] (m4, ward, one, recall)``."""
    words = [getattr(record, name, None) for name in _NAMES]
    told = ", ".join(word for word in words if isinstance(word, str))
    return f"{part}[{place}] ({told})" if told else f"{part}[{place}]"


#: Why what comes out otherwise is no problem in results of another version.
OTHER_VERSION = "another version of evalreport made it, and this one makes it otherwise"

#: Why records of a kind, or some of them, cannot be made again from the results alone.
UNSETTLED: Mapping[type, str] = {
    r.Logo: "the picture is not in the folder of the run",
    r.Threshold: "a rule is solved on the scores of rows",
    r.Caution: "most cautions need the rows themselves",
    r.History: "steps of training are taken from the file of the model's history",
    r.Tuning: "models are trained for it",
    r.TrainingOverlap: "rows are compared with those of other datasets",
}

#: Leaves that follow from what stands beside them by definitions that no version changes, of
#: whatever record; limits do where they were not drawn, by the method that is named with them.
DEFINED = ("value", "numerator", "denominator", "model_value", "reference_value", "difference",
           "statistic", "df", "p_value", "gap", "net", "agreement", "observed")  # fmt: skip
LIMITS = ("low", "high", "standard_error")
#: Records of which every leaf is compared under any version.
ACCOUNTS = (r.LabelLedger, r.RowLedger, r.Provenance, r.Characteristics)
