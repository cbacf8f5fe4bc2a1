"""Cautions about models that do no better than guessing, or than the model in use until now."""

from __future__ import annotations

from collections.abc import Iterator

from evalreport.engine.cautions.declare import Caution, caution
from evalreport.engine.cautions.facts import RunFacts
from evalreport.engine.cautions.wording import counted, listed, name, of_class
from evalreport.numbers import difference_text, limits_text, value_text
from evalreport.predict.view import LabelView
from evalreport.results.identity import MEAN_OF_FOLDS
from evalreport.results.records import AgainstBaseline


@caution(
    "baseline_not_beaten",
    unless=("auc_below_half", "constant_scores", "one_prediction"),
    severity="warning",
    title="Not shown to be better than guessing or the previous model",
    why="guessing, or the model in use until now, does as well as far as these rows show",
    read_instead="the interval of the value, and whether the model was given the right columns",
)
def baseline_not_beaten(run: RunFacts) -> Iterator[Caution]:
    """The interval of the model's summary holds what guessing gets, or lies on its worse side."""
    for view in run.views:
        own = [r for r in run.against if (r.dataset, r.model) == (view.dataset, view.model)]
        guessed = [r for r in own if r.previous is None and r.outcome in ("not_shown", "worse")]
        previous = [r for r in own if r.previous is not None and r.outcome != "not_judged"]
        said = [_beside(run, view, r) for r in guessed]
        worse = [r for r in previous if r.outcome == "worse"]
        headline = ""
        if guessed:
            shown = all(r.outcome == "worse" for r in guessed)
            headline = "Worse than guessing" if shown else "Not shown to be better than guessing"
        if worse or (previous and not any(r.outcome == "better" for r in previous)):
            said.append(_beside_previous(view, worse or previous))
            headline = _headline((worse or previous)[0]) if not guessed else ""
        if said:
            first = (guessed or worse or previous)[0]
            yield Caution(
                f"{'; '.join(said)}.",
                view.dataset,
                view.model,
                first.measure,
                numbers={"value": first.value, "baseline": first.baseline_value},
                headline=headline,
            )


def _headline(r: AgainstBaseline) -> str:
    """How the model stands beside the one before it, by a comparison that decides."""
    worse = r.outcome == "worse"
    return f"{'Worse' if worse else 'Not shown to be better'} than the previous model"


def _beside(run: RunFacts, view: LabelView, r: AgainstBaseline) -> str:
    """The value that judges the model beside that of an answer that looks at no row."""
    assert r.interval is not None
    folds = any(m.id == r.measure and m.fold == MEAN_OF_FOLDS for m in run.measures)
    of = ", mean over folds," if folds else ""
    inside = limits_text(r.interval.low, r.interval.high)
    value = f"{_titled(view, r)}{of} is {value_text(r.value)} ({inside})"
    what = "guessing" if r.baseline == "chance" else f"the {r.baseline.replace('_', ' ')}"
    if r.outcome == "worse":
        return f"{value}, worse than {what} ({value_text(r.baseline_value)})"
    return f"{value}, not shown to be better than {what} ({value_text(r.baseline_value)})"


def _beside_previous(view: LabelView, records: list[AgainstBaseline]) -> str:
    """The first differences from the previous model, worse ones or those that show nothing."""
    told = []
    for r in records:
        assert r.difference is not None
        assert r.interval is not None
        inside = limits_text(r.interval.low, r.interval.high)
        told.append(f"{_titled(view, r)} (difference {difference_text(r.difference)}, {inside})")
    what = f"the previous model {name(str(records[0].previous))}"
    if records[0].outcome == "worse":
        return f"Worse than {what} on {listed(told, 2)}"
    compared = counted(len(records), "comparison")
    return f"Not shown to be better than {what} in any of {compared}: {listed(told, 2)}"


def _titled(view: LabelView, r: AgainstBaseline) -> str:
    average = f" ({r.average})" if r.average else ""
    return f"{r.title}{average}{of_class(r.label) if len(view.labels) > 2 else ''}"
