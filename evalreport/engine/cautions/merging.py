"""One caution for all models of a dataset where each of them would say the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from evalreport.engine.cautions.declare import Caution
from evalreport.engine.cautions.facts import RunFacts
from evalreport.predict.view import View

#: Pairs of models that are written out; beyond that one caution counts them.
WRITTEN_PAIRS = 3


def by_dataset(run: RunFacts, describe: Callable[[View], Iterator[Caution]]) -> Iterator[Caution]:
    """What ``describe`` finds in each view; said once where every model's rows agree."""
    every = (*run.views, *run.set_views)
    for dataset in dict.fromkeys(view.dataset for view in every):
        views = [view for view in every if view.dataset == dataset]
        found = [(view, caution) for view in views for caution in describe(view)]
        told: set[str] = set()
        for view, caution in found:
            same = {v.model for v, c in found if c.message == caution.message}
            if len(same) == len(views):
                if caution.message not in told:
                    yield replace(caution, dataset=dataset, model=None)
                told.add(caution.message)
            else:
                yield replace(caution, dataset=dataset, model=view.model)


def bounded(found: Sequence[Caution], summary: str) -> Iterator[Caution]:
    """Cautions about pairs of models: the first few, or one that counts them.

    ``summary`` may use ``{count}`` and ``{first}`` (the first message).
    """
    if len(found) <= WRITTEN_PAIRS:
        yield from found
        return
    message = summary.format(count=len(found), first=found[0].message)
    yield replace(found[0], message=message, model=None, numbers={"pairs": len(found)})
