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
        said = [_beside(run, view, r, named=len(guessed) > 1) for r in guessed]
        worse = [r for r in previous if r.outcome == "worse"]
        headline = ""
        if guessed:
            shown = all(r.outcome == "worse" for r in guessed)
            way = "worse" if shown else "not shown to be better"
            titles = [_titled(run, view, r) for r in guessed]
            headline = (
                f"{listed(titles, 2)} {'is' if len(titles) == 1 else 'are'} {way} than guessing"
            )
        if worse or (previous and not any(r.outcome == "better" for r in previous)):
            said.append(_beside_previous(run, view, worse or previous))
            headline = _headline((worse or previous)[0]) if not guessed else ""
        if said:
            first = (guessed or worse or previous)[0]
            yield Caution(
                f"{headline + ': ' if guessed else ''}{'; '.join(said)}.",
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


def _beside(run: RunFacts, view: LabelView, r: AgainstBaseline, *, named: bool) -> str:
    """The value that judges the model beside that of an answer that looks at no row."""
    assert r.interval is not None
    inside = limits_text(r.interval.low, r.interval.high)
    title = f"{_titled(run, view, r)} " if named else ""
    base = value_text(r.baseline_value)
    if r.baseline != "chance":
        base = f"the {r.baseline.replace('_', ' ')} ({base})"
    return f"{title}{value_text(r.value)} ({inside}) against {base}"


def _beside_previous(run: RunFacts, view: LabelView, records: list[AgainstBaseline]) -> str:
    """The first differences from the previous model, worse ones or those that show nothing."""
    told = []
    for r in records:
        assert r.difference is not None
        assert r.interval is not None
        inside = f"{difference_text(r.interval.low)} to {difference_text(r.interval.high)}"
        difference = f"(difference {difference_text(r.difference)}, {inside})"
        told.append(f"{_titled(run, view, r)} {difference}")
    compared = f"in {counted(len(records), 'comparison')} with {name(str(records[0].previous))}"
    return f"{_headline(records[0])}: {listed(told, 2)}, {compared}"


def _titled(run: RunFacts, view: LabelView, r: AgainstBaseline) -> str:
    """The metric of a record, with its class and whether it is of folds."""
    folds = any(m.id == r.measure and m.fold == MEAN_OF_FOLDS for m in run.measures)
    average = f" ({r.average})" if r.average else ""
    label = of_class(r.label) if len(view.labels) > 2 else ""
    return f"{r.title}{average}{label}{', mean over folds,' if folds else ''}"
