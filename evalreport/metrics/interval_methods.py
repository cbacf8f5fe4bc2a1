"""Interval methods that take over where a slice holds few rows: each declared once.

Which method a value gets by default follows from its family (``metrics.kinds.Interval``). Few
positives, an area near 1 or a loss that few rows carry are not seen by a plan, which knows rows
but not what they hold; a subgroup of a large dataset may hold least of all. So each method here
says when it takes over, from what the slice of a value holds, and the record and the page say
that it did. What a spec asks for is never taken over.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from evalreport.metrics.kinds import LOG_T, SANDWICH, SQUARE_AND_ADD
from evalreport.values import dataclass

#: Fewest rows in each cell of a table of two classes with which formulas for many rows hold.
CELL_ROWS = 20
#: Fewest pairs of a positive and a negative row, independent of each other, that must be ranked
#: the less frequent way for limits on the logit scale to hold.
PAIRS = 10
#: Fewest clusters whose variation is known so well that the normal deviate serves.
CLUSTERS = 100
#: Fewest rows of equal losses whose mean would be spread like the one observed.
LOSS_ROWS = 50


@dataclass(frozen=True)
class Held:
    """What a slice holds of what an interval rests on; None where it does not matter.

    ``least_cell``: rows in the smallest of the four cells; ``fewer_pairs``: independent pairs
    of a positive and a negative row, min(P, N), times the area or what is missing of it to 1,
    whichever is less; ``loss_rows``: rows of equal losses whose mean would be spread alike;
    ``clusters``: of rows that are not independent of each other; ``class_rows``: positives or
    negatives, whichever are fewer.
    """

    least_cell: float | None = None
    fewer_pairs: float | None = None
    loss_rows: float | None = None
    clusters: int | None = None
    class_rows: float | None = None


@dataclass(frozen=True)
class SmallSampleMethod:
    """A method that takes the place of others where few rows are held.

    ``of``: what it is an interval of; ``instead_of``: the planned methods that it takes over
    from; ``reason``: why, as the record says it; ``design``: of which rows.
    """

    name: str
    title: str
    of: str
    design: str
    instead_of: tuple[str, ...]
    few: Callable[[Held], bool]
    reason: str
    reference: str


DECLARED = (
    SmallSampleMethod(
        name="delong_score",
        title="DeLong in score form",
        of="areas under the ROC curve and what is a straight line of them",
        design="independent rows",
        instead_of=("delong_logit",),
        few=lambda h: h.fewer_pairs is not None and h.fewer_pairs < PAIRS,
        reason=f"fewer than {PAIRS} independent pairs of rows would be lost, or won",
        reference="DeLong E. et al. Biometrics 44, 1988; Hanley J., McNeil B. Radiology 143, 1982; "
        "Newcombe R. Stat Med 25, 2006",
    ),
    SmallSampleMethod(
        name=SQUARE_AND_ADD,
        title="square-and-add of Jeffreys limits",
        of="metrics of the four cells of a table",
        design="independent rows",
        instead_of=("delta", "fisher_z", "wald", "newcombe_hybrid", "log", "normal"),
        few=lambda h: h.least_cell is not None and h.least_cell < CELL_ROWS,
        reason=f"a cell of the table holds fewer than {CELL_ROWS} rows",
        reference="Zou G., Donner A. Stat Med 27, 2008; Laud P. Pharm Stat 16, 2017",
    ),
    SmallSampleMethod(
        name=LOG_T,
        title="t on the logarithm",
        of="means of the losses of rows",
        design="independent rows, weighted or not",
        instead_of=("normal", SANDWICH),
        few=lambda h: h.loss_rows is not None and h.loss_rows < LOSS_ROWS,
        reason=f"the losses are carried by fewer than {LOSS_ROWS} rows",
        reference="Zhou X., Gao S. Stat Med 16, 1997; Satterthwaite F. Biometrics Bulletin 2, 1946",
    ),
)


def _few_clusters(held: Held) -> bool:
    return held.clusters is not None and held.clusters < CLUSTERS


FEW_CLUSTERS = f"fewer than {CLUSTERS} clusters: Student's t"
SHARE_OF_CLUSTERS = "cluster_robust_t"
TABLE_OF_CLUSTERS = "mover_clusters"
AREA_OF_CLUSTERS = "obuchowski_score"
LOSS_OF_CLUSTERS = "log_t_clusters"

#: Rows of a class, and pairs ranked the less frequent way, with fewer than which the difference
#: of two areas is not normal enough: the more rows, the fewer pairs it takes.
FEW_OF_DIFFERENCES = ((40, PAIRS), (100, 5))


def _few_for_a_difference(rows: float | None, pairs: float | None) -> bool:
    if rows is None or pairs is None:
        return False
    return any(rows < most and pairs < least for most, least in FEW_OF_DIFFERENCES)


_FEW_PAIRS = f"few rows of a class, and fewer than {PAIRS} independent pairs lost, or won"
_SCORE_FORM = (
    "Zou G., Donner A. Stat Med 27, 2008; Hanley J., McNeil B. Radiology 143, 1982; "
    "DeLong E. et al. Biometrics 44, 1988"
)
#: Of differences of two areas, by the design of their rows.
DIFFERENCES = (
    SmallSampleMethod(
        name="delong_score",
        title="DeLong in score form, squared and added",
        of="differences of areas under the ROC curve",
        design="independent rows",
        instead_of=("delong",),
        few=lambda h: _few_for_a_difference(h.class_rows, h.fewer_pairs),
        reason=_FEW_PAIRS,
        reference=_SCORE_FORM,
    ),
    SmallSampleMethod(
        name="delong_score_unpaired",
        title="DeLong in score form, squared and added, unpaired",
        of="differences of areas under the ROC curve of two datasets",
        design="independent rows",
        instead_of=("delong_unpaired",),
        few=lambda h: _few_for_a_difference(h.class_rows, h.fewer_pairs),
        reason=_FEW_PAIRS,
        reference=_SCORE_FORM,
    ),
    SmallSampleMethod(
        name="mover_paired",
        title="square-and-add of paired shares",
        of="differences of metrics of the four cells of a table",
        design="independent rows",
        instead_of=("bootstrap", "bootstrap_percentile"),
        few=lambda h: h.least_cell is not None and h.least_cell < CELL_ROWS,
        reason=f"a cell of one of the tables holds fewer than {CELL_ROWS} rows",
        reference="Zou G., Donner A. Stat Med 27, 2008; Newcombe R. Stat Med 17, 1998; "
        "Brown L., Cai T., DasGupta A. Statistical Science 16, 2001",
    ),
    SmallSampleMethod(
        name=AREA_OF_CLUSTERS,
        title="Obuchowski in score form, squared and added, t",
        of="differences of areas under the ROC curve",
        design="clusters",
        instead_of=("obuchowski",),
        few=_few_clusters,
        reason=FEW_CLUSTERS,
        reference="Zou G., Donner A. Stat Med 27, 2008; Obuchowski N. Biometrics 53, 1997",
    ),
)

#: The same for clustered rows, by what the value is of.
OF_CLUSTERS = (
    SmallSampleMethod(
        name=SHARE_OF_CLUSTERS,
        title="cluster robust, t",
        of="shares of rows",
        design="clusters",
        instead_of=("cluster_robust",),
        few=_few_clusters,
        reason=FEW_CLUSTERS,
        reference="Wilson E. JASA 22, 1927; Korn E., Graubard B. Survey Methodology 24, 1998",
    ),
    SmallSampleMethod(
        name=TABLE_OF_CLUSTERS,
        title="square-and-add over the design effect",
        of="metrics of the four cells of a table",
        design="clusters",
        instead_of=("cluster_robust",),
        few=_few_clusters,
        reason=FEW_CLUSTERS,
        reference="Rao J., Scott A. Biometrics 48, 1992; Zou G., Donner A. Stat Med 27, 2008",
    ),
    SmallSampleMethod(
        name=AREA_OF_CLUSTERS,
        title="Obuchowski in score form, t",
        of="areas under the ROC curve and what is a straight line of them",
        design="clusters",
        instead_of=("obuchowski",),
        few=_few_clusters,
        reason=FEW_CLUSTERS,
        reference="Obuchowski N. Biometrics 53, 1997; Hanley J., McNeil B. Radiology 143, 1982",
    ),
)

#: Of means of losses of clustered rows: few clusters, or many of which few carry the losses.
FEW_LOSSES_OF_CLUSTERS = SmallSampleMethod(
    name=LOSS_OF_CLUSTERS,
    title="t on the logarithm, clusters",
    of="means of the losses of rows",
    design="clusters",
    instead_of=("cluster_bootstrap",),
    few=lambda h: _few_clusters(h) or (h.loss_rows is not None and h.loss_rows < LOSS_ROWS),
    reason=f"fewer than {CLUSTERS} clusters, or losses carried by fewer than {LOSS_ROWS} rows",
    reference="Zhou X., Gao S. Stat Med 16, 1997; Korn E., Graubard B. Survey Methodology 24, 1998",
)


SHARE_OF_WEIGHTS = "wilson_kish"
TABLE_OF_WEIGHTS = "mover_weighted"
AREA_OF_WEIGHTS = "sandwich_score"

#: Of rows with weights, which are no sample of a declared design.
OF_WEIGHTS = (
    SmallSampleMethod(
        name=SHARE_OF_WEIGHTS,
        title="Wilson on Kish's effective rows",
        of="shares of rows",
        design="weighted rows",
        instead_of=("wilson_n_eff",),
        few=lambda h: h.least_cell is not None and h.least_cell < CELL_ROWS,
        reason=f"rows worth fewer than {CELL_ROWS} succeeded, or failed",
        reference="Kish L. Survey Sampling, 1965; Wilson E. JASA 22, 1927",
    ),
    SmallSampleMethod(
        name=TABLE_OF_WEIGHTS,
        title="square-and-add on effective rows",
        of="metrics of the four cells of a table",
        design="weighted rows",
        instead_of=(SANDWICH,),
        few=lambda h: h.least_cell is not None and h.least_cell < CELL_ROWS,
        reason=f"a cell of the table is worth fewer than {CELL_ROWS} rows",
        reference="Rao J., Scott A. Biometrics 48, 1992; Zou G., Donner A. Stat Med 27, 2008",
    ),
    SmallSampleMethod(
        name=AREA_OF_WEIGHTS,
        title="sandwich variance in score form",
        of="areas under the ROC curve and what is a straight line of them",
        design="weighted rows",
        instead_of=(SANDWICH,),
        few=lambda h: h.fewer_pairs is not None and h.fewer_pairs < PAIRS,
        reason=f"fewer than {PAIRS} independent pairs of rows would be lost, or won",
        reference="Hanley J., McNeil B. Radiology 143, 1982; Kish L. Survey Sampling, 1965",
    ),
)

#: Every method of a single value that takes over by itself from a planned one.
EVERY = (*DECLARED, *OF_CLUSTERS, FEW_LOSSES_OF_CLUSTERS, *OF_WEIGHTS)


def few_clusters(name: str, clusters: int) -> SmallSampleMethod | None:
    """The method of this name, where so few clusters ask for it; else None."""
    method = next(one for one in OF_CLUSTERS if one.name == name)
    return method if method.few(Held(clusters=clusters)) else None


def taking_over(
    planned: str, held: Held, declared: Sequence[SmallSampleMethod] = DECLARED
) -> SmallSampleMethod | None:
    """The method that takes over from the planned one; None where that one stays.

    >>> taking_over("delong_logit", Held(fewer_pairs=2.0)).name
    'delong_score'
    >>> taking_over("delong_logit", Held(fewer_pairs=20.0)) is None
    True
    """
    for method in declared:
        if planned in method.instead_of and method.few(held):
            return method
    return None
