"""The methods of intervals and tests: each declared once, and which of them a number has.

One table for values and one for differences name, for each kind of number and each design, the
default, what R and SAS print by default, and what else can be asked for. A metric says what it is,
a spec how rows were drawn, and neither what a slice holds: two models, two subgroups and two nights
get the same method. The spec, the plan, the engine, the page and the documents read them here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache, partial
from itertools import product

from evalreport.metrics.declare import Average, Interval, Metric, Table
from evalreport.metrics.kinds import Design
from evalreport.metrics.properties import pooled_over_rows, same_number, share_of
from evalreport.statistics.proportions import PROPORTION_METHODS
from evalreport.statistics.unpaired import UNPAIRED_METHODS


@dataclass(frozen=True)
class Method:
    """A method by its name in records and specs, as the field writes it, and where it is from.

    ``formula``: the module of the package that holds it. ``source`` is empty where the method is in
    every textbook, or is named by what it does.
    """

    name: str
    title: str
    formula: str
    source: str = ""


_MCNEMAR = "McNemar Q. Psychometrika 12, 1947"
_BROWN = "Brown L., Cai T., DasGupta A. Statistical Science 16, 2001"
_BINDER = "Binder D. International Statistical Review 51, 1983"
_BOOTSTRAP = "Efron B., Tibshirani R. An Introduction to the Bootstrap, 1993"
_DELONG = "DeLong E., DeLong D., Clarke-Pearson D. Biometrics 44, 1988"
_LAUD = "Laud P. Pharm Stat 16, 2017"
_RAO_SCOTT = "Rao J., Scott A. Biometrics 48, 1992"
_SCORE_FORM = "DeLong E. et al. Biometrics 44, 1988; Hanley J., McNeil B. Radiology 143, 1982"
_WIDENED = (
    "Squire W., Trapp G. SIAM Review 40, 1998; Hampel F. et al. Robust Statistics, 1986; Newcombe "
    "R. Stat Med 25, 2006"
)
_ZHOU = "Zhou X., Gao S. Stat Med 16, 1997"
_HILLIS = (
    "Obuchowski N., Rockette H. Commun Stat Simul Comput 24, 1995; Hillis S. Stat Med 26, 2007"
)
_KORN = "Korn E., Graubard B. Survey Methodology 24, 1998"
_NEWCOMBE_ONE = "Newcombe R. Stat Med 17, 1998 (single proportions)"
_NEWCOMBE_PAIRED = "Newcombe R. Stat Med 17, 1998 (paired differences)"
_NEWCOMBE_TWO = "Newcombe R. Stat Med 17, 1998 (independent differences)"
_ZOU = "Zou G., Donner A. Stat Med 27, 2008"

#: Methods with their titles and sources, by the module of the package that holds the formula.
_DECLARED: Mapping[str, tuple[tuple[str, str, str], ...]] = {
    "statistics.proportions": (
        ("wilson", "Wilson", "Wilson E. JASA 22, 1927"),
        ("wilson_cc", "Wilson, continuity corrected", _NEWCOMBE_ONE),
        ("wilson_n_eff", "Wilson on effective rows", _KORN),
        ("clopper_pearson", "Clopper-Pearson", "Clopper C., Pearson E. Biometrika 26, 1934"),
        ("agresti_coull", "Agresti-Coull", "Agresti A., Coull B. Am Stat 52, 1998"),
        ("jeffreys", "Jeffreys", _BROWN),
        ("wald", "Wald", ""),
        ("wald_cc", "Wald, continuity corrected", ""),
        ("mid_p", "mid-p", ""),
        ("likelihood_ratio", "likelihood ratio", ""),
        ("logit", "logit", ""),
        (
            "wilson_kish",
            "Wilson on Kish's effective rows",
            "Kish L. Survey Sampling, 1965; Wilson E. JASA 22, 1927",
        ),
        (
            "cluster_robust_t",
            "cluster robust, t",
            "Wilson E. JASA 22, 1927; Korn E., Graubard B. Survey Methodology 24, 1998",
        ),
    ),
    "statistics.delong": (
        ("delong", "DeLong", _DELONG),
        ("delong_unpaired", "DeLong, unpaired", _DELONG),
        ("delong_logit", "DeLong on the logit", _DELONG),
        ("delong_score", "DeLong in score form", f"{_SCORE_FORM}; Newcombe R. Stat Med 25, 2006"),
        ("delong_score_unpaired", "DeLong in score form, unpaired", f"{_ZOU}; {_SCORE_FORM}"),
        ("hanley_mcneil", "Hanley-McNeil", "Hanley J., McNeil B. Radiology 143, 1982"),
    ),
    "statistics.obuchowski": (
        (
            "sandwich_score",
            "sandwich variance in score form",
            "Hanley J., McNeil B. Radiology 143, 1982; Kish L. Survey Sampling, 1965",
        ),
        (
            "obuchowski_score",
            "Obuchowski in score form, t",
            "Obuchowski N. Biometrics 53, 1997; Hanley J., McNeil B. Radiology 143, 1982",
        ),
        ("obuchowski", "Obuchowski", "Obuchowski N. Biometrics 53, 1997"),
    ),
    "statistics.interval": (("square_and_add", "square-and-add", _ZOU),),
    "statistics.square_and_add": (
        ("mover_jeffreys", "square-and-add of Jeffreys limits", f"{_ZOU}; {_LAUD}"),
        ("mover_clusters", "square-and-add over the design effect", f"{_RAO_SCOTT}; {_ZOU}"),
        ("mover_weighted", "square-and-add on effective rows", f"{_RAO_SCOTT}; {_ZOU}"),
        (
            "mover_paired",
            "square-and-add of paired shares",
            f"{_ZOU}; {_NEWCOMBE_PAIRED}; {_BROWN}",
        ),
    ),
    "statistics.ratios": (
        ("koopman", "Koopman", "Koopman P. Biometrics 40, 1984"),
        ("log", "log method", ""),
        ("mercaldo", "Mercaldo", "Mercaldo N., Lau K., Zhou X. Stat Med 26, 2007"),
    ),
    "statistics.widened": (
        ("delta_t", "delta method on the logit, t", _WIDENED),
        ("sandwich_t", "sandwich variance on the logit, t", _WIDENED),
        ("influence_t", "influence function on the logit, t", _WIDENED),
    ),
    "statistics.delta": (
        ("delta", "delta method", "Squire W., Trapp G. SIAM Review 40, 1998 (derivatives)"),
        ("cluster_robust", "cluster robust", "Genders T. et al. Radiology 265, 2012"),
    ),
    "engine.intervals.methods": (("fisher_z", "Fisher z", ""),),
    "engine.intervals.jackknife": (
        ("influence", "influence function", "Hampel F. et al. Robust Statistics, 1986"),
    ),
    "engine.intervals.grouped_jackknife": (
        ("grouped_jackknife", "grouped jackknife", "Kott P. J Official Statistics 17, 2001"),
    ),
    "statistics.means": (
        ("log_t", "t on the logarithm", f"{_ZHOU}; Satterthwaite F. Biometrics Bulletin 2, 1946"),
        ("log_t_clusters", "t on the logarithm, clusters", f"{_ZHOU}; {_KORN}"),
        ("normal", "normal", ""),
        ("paired_t", "paired t", ""),
        ("satterthwaite_t", "Satterthwaite's t", "Satterthwaite F. Biometrics Bulletin 2, 1946"),
        ("welch_t", "Welch's t", "Welch B. Biometrika 34, 1947"),
    ),
    "statistics.logistic": (("wald_t", "Wald, t", ""),),
    "statistics.folds": (
        ("nadeau_bengio", "Nadeau-Bengio", "Nadeau C., Bengio Y. Machine Learning 52, 2003"),
    ),
    "statistics.design_based": (
        ("sandwich", "sandwich variance", _BINDER),
        ("design_based", "by the design", _BINDER),
    ),
    "statistics.raters": (
        (
            "linearised_t",
            "linearised variance, Student's t",
            "Gwet K. Br J Math Stat Psychol 61, 2008",
        ),
    ),
    "engine.intervals.bootstrap": (
        ("bootstrap", "bootstrap", _BOOTSTRAP),
        ("bootstrap_percentile", "bootstrap, percentile", _BOOTSTRAP),
        ("bootstrap_bca", "bootstrap, BCa", "Efron B. JASA 82, 1987"),
        ("cluster_bootstrap", "cluster bootstrap", _BOOTSTRAP),
        (
            "survey_bootstrap",
            "bootstrap within strata",
            "Rao J., Wu C., Yue K. Survey Methodology 18, 1992",
        ),
        ("bootstrap_logit_t", "t on the logit, drawn rows", _BOOTSTRAP),
        ("cluster_bootstrap_logit_t", "t on the logit, drawn clusters", _BOOTSTRAP),
    ),
    "engine.intervals.at_cut": (
        ("newcombe_at_cut", "Newcombe at the cut", _NEWCOMBE_TWO),
        ("clusters_at_cut", "square-and-add of clustered rates at the cut", _ZOU),
    ),
    "engine.intervals.at_rate": (
        (
            "wilson_at_rate",
            "Wilson, and where the threshold may lie",
            f"Wilson E. JASA 22, 1927; David H., Nagaraja H. Order Statistics, 2003, 7.1; {_ZOU}",
        ),
    ),
    "statistics.paired": (
        ("mcnemar_exact", "McNemar, exact", _MCNEMAR),
        (
            "mcnemar_midp",
            "McNemar, mid-p",
            "Fagerland M., Lydersen S., Laake P. BMC Med Res Methodol 13, 2013",
        ),
        ("mcnemar", "McNemar", _MCNEMAR),
        ("mcnemar_corrected", "McNemar, corrected", _MCNEMAR),
        ("newcombe", "Newcombe", _NEWCOMBE_PAIRED),
        ("newcombe_uncorrected", "Newcombe, uncorrected", _NEWCOMBE_PAIRED),
        ("agresti_min", "Agresti-Min", "Agresti A., Min Y. Stat Med 24, 2005"),
        ("tango", "Tango", "Tango T. Stat Med 17, 1998"),
        ("alonzo", "Alonzo-Pepe-Moskowitz", "Alonzo T., Pepe M., Moskowitz C. Stat Med 21, 2002"),
    ),
    "statistics.predictive": (
        ("leisenring", "Leisenring", "Leisenring W., Alonzo T., Pepe M. Biometrics 56, 2000"),
        ("kosinski", "Kosinski", "Kosinski A. Stat Med 32, 2013"),
        ("moskowitz_pepe", "Moskowitz-Pepe", "Moskowitz C., Pepe M. Clinical Trials 3, 2006"),
    ),
    "statistics.unpaired": (
        ("miettinen_nurminen", "Miettinen-Nurminen", "Miettinen O., Nurminen M. Stat Med 4, 1985"),
        ("newcombe_hybrid", "Newcombe", _NEWCOMBE_TWO),
        ("newcombe_hybrid_cc", "Newcombe, continuity corrected", _NEWCOMBE_TWO),
        ("mee", "Mee", "Mee R. Biometrics 40, 1984"),
        ("agresti_caffo", "Agresti-Caffo", "Agresti A., Caffo B. Am Stat 54, 2000"),
        ("chi_square", "chi-square", ""),
    ),
    "statistics.hypotheses": (
        ("two_proportion_z", "two-proportion z", ""),
        ("fisher_exact", "Fisher, exact", ""),
    ),
    "statistics.reclassification": (
        (
            "net_reclassification_z",
            "z of net reclassification",
            "Pencina M. et al. Stat Med 27, 2008",
        ),
    ),
    "statistics.several": (
        ("cochran_q", "Cochran Q", "Cochran W. Biometrika 37, 1950"),
        ("friedman", "Friedman", "Friedman M. JASA 32, 1937"),
    ),
    "statistics.readers": (
        (
            "obuchowski_rockette_hillis",
            "Obuchowski-Rockette-Hillis",
            _HILLIS,
        ),
    ),
    "statistics.shift": (("kolmogorov_smirnov", "Kolmogorov-Smirnov", ""),),
    "statistics.trend": (
        ("cochran_armitage", "Cochran-Armitage", ""),
        ("weighted_slope", "weighted slope", ""),
    ),
    "engine.groups.widest": (
        ("newcombe_hybrid_simultaneous", "Newcombe hybrid, simultaneous", ""),
        ("square_and_add_simultaneous", "square-and-add, simultaneous", ""),
    ),
    "engine.reference.declared": (("binomial_exact", "exact binomial", ""),),
    "statistics.multiplicity": (
        ("holm", "Holm", "Holm S. Scand J Statist 6, 1979"),
        ("bonferroni", "Bonferroni", ""),
        (
            "benjamini_hochberg",
            "Benjamini-Hochberg",
            "Benjamini Y., Hochberg Y. J R Stat Soc B 57, 1995",
        ),
    ),
}
DECLARED = tuple(
    Method(name, title, formula, source)
    for formula, methods in _DECLARED.items()
    for name, title, source in methods
)

#: Every method by its name.
METHODS: Mapping[str, Method] = {method.name: method for method in DECLARED}


def method_title(method: str) -> str:
    """A method as the field writes it; one that is not declared by its name.

    >>> method_title("delong_logit"), method_title("something_new")
    ('DeLong on the logit', 'something new')
    """
    declared = METHODS.get(method)
    return method.replace("_", " ") if declared is None else declared.title


# -- names that formulas go by ---------------------------------------------------------------------

#: Student's t on the logit with a floor of the variance: of functions of a table, by the delta
#: method or by weights, and of what is ranked by influence functions.
DELTA_T, SANDWICH_T, INFLUENCE_T = "delta_t", "sandwich_t", "influence_t"
#: Squared distances of independent shares, for metrics that say which.
SQUARE_AND_ADD = "mover_jeffreys"
#: Student's t on the logarithm, for means of the losses of rows.
LOG_T = "log_t"
#: The same forms of clustered rows: of shares, tables, areas and losses.
SHARE_OF_CLUSTERS, TABLE_OF_CLUSTERS = "cluster_robust_t", "mover_clusters"
AREA_OF_CLUSTERS, LOSS_OF_CLUSTERS = "obuchowski_score", "log_t_clusters"
#: And of rows with weights, which are no sample of a declared design.
SHARE_OF_WEIGHTS, TABLE_OF_WEIGHTS, AREA_OF_WEIGHTS = (
    "wilson_kish",
    "mover_weighted",
    "sandwich_score",
)
RESAMPLING = ("bootstrap_percentile", "bootstrap_bca")
JACKKNIFE = "grouped_jackknife"
#: Means over folds, and their differences.
OF_FOLDS = "nadeau_bengio"
#: Student's t on the logit, with the standard deviation of replicates; and the same of clusters.
LOGIT_T, LOGIT_T_OF_CLUSTERS = "bootstrap_logit_t", "cluster_bootstrap_logit_t"
#: Methods that draw rows or clusters; the last one units within strata.
DRAWN = (*RESAMPLING, LOGIT_T, "cluster_bootstrap", LOGIT_T_OF_CLUSTERS, "survey_bootstrap")
#: Limits of Youden's J at the cut where the two rates are farthest apart; the same of clusters.
AT_CUT, AT_CUT_OF_CLUSTERS = "newcombe_at_cut", "clusters_at_cut"
#: Limits of a share at the threshold that keeps another rate.
AT_RATE = "wilson_at_rate"
#: The design-based variance, of whatever the contribution of a row is known.
SANDWICH = "sandwich"
BOOTSTRAP, PERCENTILE, CLUSTERS = "bootstrap", "bootstrap_percentile", "cluster_bootstrap"
#: A difference by what each row contributes to it.
BY_DESIGN = "design_based"
#: Of two means over the scores of single rows: with as many degrees of freedom as the variance has,
#: fewer where few rows lose much; and with n - 1, as Welch has it of two datasets.
SATTERTHWAITE, WELCH, PAIRED_T = "satterthwaite_t", "welch_t", "paired_t"
OF_TWO_MEANS = (SATTERTHWAITE, WELCH)
#: Squared distances of the shares of two tables, of the same rows and of independent ones.
TWO_TABLES, ADDED = "mover_paired", "square_and_add"
#: Limits of the ratio of two shares: of the same rows, by the rows of a true class or of a
#: prediction, and of other rows.
ALONZO, MOSKOWITZ_PEPE, KOOPMAN = "alonzo", "moskowitz_pepe", "koopman"
#: Of the largest gap between groups, simultaneous over their pairs: of shares, and by the limits
#: of each group.
WIDEST_OF_SHARES, WIDEST_ADDED = "newcombe_hybrid_simultaneous", "square_and_add_simultaneous"
#: The test of a rate of selection against the highest one, beside limits by Koopman.
OF_RATES = "fisher_exact"
#: The test of net reclassification, and its limits where rows are independent and count one each.
OF_MOVES, WALD = "net_reclassification_z", "wald"


# -- values ---------------------------------------------------------------------------------------

#: What a spec writes for the methods that R and SAS print by default.
CLASSICAL = "classical"
ALL_TABLES = (Table.COUNTS, Table.MATRIX)


class Value(Enum):
    """Values that have their limits in the same way, with the reason that the plan prints."""

    SHARE = "a share of rows"
    SHARES = "a function of shares of the rows"
    RATIO = "a ratio of rates"
    IMPACT = "a ratio of two rates"
    WHOLE = "a function of the whole table"
    TABLE_MEAN = "a mean over the cells of the table"
    ROW_SHARE = "a share of rows by their ranks"
    AREA = "an area under the ROC curve"
    LOSS = "a mean of losses"
    MEAN = "a mean over rows"
    DISTANCE = "the largest distance of two rates"
    AT_RATE = "a share where another rate is kept"
    CLASS_RATES = "shares of all classes where another rate is kept"
    RANKED = "ranks of scores"
    CLASS_RANKS = "ranks of scores of all classes"
    CLASS_DISTANCES = "the largest distances of two rates of all classes"
    FIT = "a logistic fit"
    LEVEL = "the level of a logistic fit"
    FITTED = "a fit to the very rows"
    OTHER = "no formula is known: groups of rows are left out"
    SET_SHARE = "a share of rows with sets of labels"
    SET_MEAN = "a mean over rows with sets of labels"
    SET_LOSS = "a mean over rows with sets of labels, without a greatest value"
    LABELS = "a mean over labels"


#: Stands in the table for the formula of the metric itself, see `FORMULAS`.
OWN = "(own)"
#: The classical formula of a family of metrics; the delta method of any other.
FORMULAS = {
    Interval.KAPPA: "wald",
    Interval.CORRELATION: "fisher_z",
    Interval.MEAN: "normal",
    Interval.LOG: "log",
    Interval.PREDICTIVE: "mercaldo",
}
#: Methods of a single share of independent rows: the default, the classical one, the others.
_SHARE = " ".join(dict.fromkeys(("wilson", "clopper_pearson", *PROPORTION_METHODS)))
_SHARE_OF_CLUSTERS = "cluster_robust_t sandwich cluster_robust"
_LEFT_OUT = 5 * ("grouped_jackknife",)

#: For each kind of value and design the default, what R and SAS print by default (the default
#: where they print nothing), then what else can be asked for. `sandwich` and the bootstraps go
#: with all of them and are listed where they come first.
VALUES: Mapping[Value, Mapping[Design, tuple[str, ...]]] = {
    kind: {design: tuple(cell.split()) for design, cell in zip(Design, row, strict=True)}
    for kind, row in {
        # independent rows, weights, clusters, clusters of weighted rows, a sample by design
        Value.SHARE: (
            f"{_SHARE} mercaldo", "wilson_kish sandwich wilson_n_eff", *2 * (_SHARE_OF_CLUSTERS,),
            "wilson_n_eff sandwich",
        ),
        Value.SHARES: (
            f"mover_jeffreys {OWN} newcombe_hybrid delta_t delta",
            "mover_weighted sandwich sandwich_t",
            *2 * ("mover_clusters cluster_robust cluster_robust_t",), "sandwich",
        ),
        Value.RATIO: (
            f"miettinen_nurminen {OWN} koopman mover_jeffreys", "mover_weighted sandwich",
            *2 * ("mover_clusters cluster_robust",), "sandwich",
        ),
        Value.IMPACT: (
            "koopman log miettinen_nurminen", "sandwich", *2 * ("cluster_robust",), "sandwich"
        ),
        Value.WHOLE: (
            f"delta_t {OWN} delta", "sandwich_t sandwich",
            *2 * ("cluster_robust_t cluster_robust",), "sandwich",
        ),
        Value.TABLE_MEAN: ("normal", "sandwich", *2 * ("cluster_robust",), "sandwich"),
        Value.ROW_SHARE: (
            _SHARE, "wilson_kish sandwich wilson_n_eff", *2 * (_SHARE_OF_CLUSTERS,),
            "wilson_n_eff sandwich",
        ),
        Value.AREA: (
            "delong_score delong delong_logit hanley_mcneil", "sandwich_score sandwich",
            *2 * ("obuchowski_score obuchowski",), "sandwich",
        ),
        Value.LOSS: (
            "log_t normal", "log_t sandwich", *2 * ("log_t_clusters sandwich",), "sandwich"
        ),
        Value.MEAN: ("normal", *4 * ("sandwich",)),
        Value.DISTANCE: (
            "newcombe_at_cut newcombe_at_cut influence", "newcombe_at_cut",
            *2 * ("clusters_at_cut",), "sandwich",
        ),
        # no way to hold a threshold that clusters, or a mean over classes, choose was found
        Value.AT_RATE: (*2 * (AT_RATE,), *3 * ("",)),
        Value.CLASS_RATES: 5 * ("",),
        Value.RANKED: (
            "influence_t influence_t influence bootstrap_logit_t", "influence_t",
            *2 * ("influence_t influence_t cluster_bootstrap_logit_t",), "sandwich",
        ),
        Value.CLASS_RANKS: (
            "influence_t influence_t influence grouped_jackknife",
            *3 * ("influence_t influence_t grouped_jackknife",), "grouped_jackknife",
        ),
        Value.CLASS_DISTANCES: (
            "newcombe_at_cut newcombe_at_cut influence_t influence",
            "newcombe_at_cut newcombe_at_cut grouped_jackknife",
            *2 * ("clusters_at_cut clusters_at_cut grouped_jackknife",),
            "grouped_jackknife",
        ),
        Value.FIT: ("wald_t wald", *_LEFT_OUT[1:]),
        Value.LEVEL: ("wald wald wald_t", *_LEFT_OUT[1:]),
        Value.FITTED: 5 * ("",),
        Value.OTHER: _LEFT_OUT,
        Value.SET_SHARE: (
            _SHARE, "wilson_kish sandwich wilson_n_eff", *2 * (_SHARE_OF_CLUSTERS,),
            "wilson_n_eff sandwich",
        ),
        Value.SET_MEAN: (
            "delta_t normal", "sandwich_t sandwich",
            *2 * ("cluster_robust_t cluster_robust",), "sandwich",
        ),
        Value.SET_LOSS: (
            "log_t normal", "log_t sandwich", *2 * ("log_t_clusters cluster_robust",), "sandwich"
        ),
        Value.LABELS: (
            "delta_t delta", "sandwich_t sandwich",
            *2 * ("cluster_robust_t cluster_robust",), "sandwich",
        ),
    }.items()
}  # fmt: skip

#: What is drawn beside the bootstraps of every design.
_DRAWN = {
    Design.CLUSTERS: ("cluster_bootstrap",),
    Design.BOTH: ("cluster_bootstrap",),
    Design.SAMPLE: ("survey_bootstrap",),
}
#: Methods on the logit of a value between two bounds.
_BOUNDED = ("delta_t", "sandwich_t", "bootstrap_logit_t", "cluster_bootstrap_logit_t")


@cache
def offered(
    metric: Metric,
    average: Average | None,
    design: Design,
    *,
    two_classes: bool,
    of_labels: bool = False,
) -> tuple[str, ...]:
    """The methods that one value can be given by, default first; empty where it has none.

    ``of_labels``: of rows with sets of labels, and of all labels together.

    >>> from evalreport.metrics.counts import recall
    >>> offered(recall, None, Design.CLUSTERS, two_classes=True)[:3]
    ('cluster_robust_t', 'sandwich', 'cluster_robust')
    """
    if metric.interval is Interval.NONE:
        return ()
    kind = value_of(metric, average, two_classes=two_classes, of_labels=of_labels)
    formula = _formula(metric, average)
    known = [formula if name == OWN else name for name in VALUES[kind][design]]
    names = [name for name in known if _is_defined(name, metric, kind)]
    if metric.linearised and (average is None or metric.table in ALL_TABLES):
        names.append(SANDWICH)
    names += [*RESAMPLING[: 1 if kind is Value.FITTED else 2], *_DRAWN.get(design, ())]
    return tuple(dict.fromkeys(names))


def classical(
    metric: Metric,
    average: Average | None,
    design: Design,
    *,
    two_classes: bool,
    of_labels: bool = False,
) -> str:
    """What R and SAS print by default for a value; the default where they print nothing.

    Empty where a value has no limits unless a method is named.

    >>> from evalreport.metrics.ranking import roc_auc
    >>> classical(roc_auc, None, Design.ROWS, two_classes=True)
    'delong'
    """
    kind = value_of(metric, average, two_classes=two_classes, of_labels=of_labels)
    name = printed(VALUES[kind][design])
    return _formula(metric, average) if name == OWN else name


def printed(cell: tuple[str, ...]) -> str:
    """The method of a cell of the table that R and SAS print by default; empty where it has none.

    >>> printed(("wilson", "clopper_pearson", "jeffreys")), printed(("sandwich",)), printed(())
    ('clopper_pearson', 'sandwich', '')
    """
    return next(reversed(cell[:2]), "")


def interval_methods(
    metric: Metric, designs: Iterable[Design] = (Design.ROWS,), average: Average | None = None
) -> tuple[str, ...]:
    """Methods of a metric that a spec may ask for, default first, of two classes or of more.

    >>> from evalreport.metrics.counts import recall
    >>> "wilson" in interval_methods(recall, average=Average.MACRO)
    False
    """
    found: dict[str, None] = {}
    every = tuple(designs)
    for design, two in product(every, (True, False)):
        same, other = same_number(metric, average and average.value, two_classes=two)
        own = other and Average(other)
        found |= dict.fromkeys(offered(same, own, design, two_classes=two))
    for design in every if average is not None else ():
        of_labels = offered(metric, average, design, two_classes=False, of_labels=True)
        found |= dict.fromkeys(of_labels)
    return tuple(found)


def default_method(metric: Metric) -> str | None:
    """The method of a value of one of two classes, of independent rows; None where it has none."""
    return next(iter(interval_methods(metric)), None)


def _formula(metric: Metric, average: Average | None) -> str:
    return "delta" if average is not None else FORMULAS.get(metric.interval, "delta")


def _is_defined(name: str, metric: Metric, kind: Value) -> bool:
    """Whether a method of a kind of value is one of this metric, too."""
    if name == "newcombe_hybrid":
        return metric.interval is Interval.TWO_RATES
    if name == "mercaldo" and kind is Value.SHARE:
        return metric.limits is not None
    if name in ("koopman", "miettinen_nurminen") and kind is Value.RATIO:
        return name in metric.score_limits
    if name in _BOUNDED or (name == "cluster_robust_t" and kind is Value.SHARES):
        return metric.is_bounded
    return True


def value_of(
    metric: Metric, average: Average | None, *, two_classes: bool, of_labels: bool = False
) -> Value:
    """What a value is an interval of."""
    pooled = average is Average.MICRO and pooled_over_rows(metric)
    alone = average is None or pooled
    if of_labels or metric.table is Table.LABEL_SETS or average is Average.SAMPLES:
        return _of_sets(metric, average)
    if metric.table in ALL_TABLES:
        return _of_table(metric, average, alone=alone, two_classes=two_classes)
    if metric.interval is Interval.PROPORTION and alone:
        return Value.ROW_SHARE
    if metric.table is Table.SCORES and average is not None:
        if metric.interval is Interval.DISTANCE:
            return Value.CLASS_DISTANCES
        if metric.interval is Interval.AT_RATE:
            return Value.CLASS_RATES
        return Value.CLASS_RANKS if metric.influence is not None else Value.OTHER
    if metric.class_pairs and not two_classes:
        return Value.CLASS_RANKS
    if _has_losses(metric, two_classes):
        return Value.LOSS
    families = {
        Interval.AUC: Value.AREA,
        Interval.MEAN: Value.MEAN,
        Interval.DISTANCE: Value.DISTANCE,
        Interval.AT_RATE: Value.AT_RATE,
        Interval.LOGISTIC: Value.LEVEL if metric.line == "in_the_large" else Value.FIT,
        Interval.FITTED: Value.FITTED,
    }
    tables = (metric.table, metric.classes_table)
    ranked = metric.influence is not None and not metric.no_interval
    ranked &= two_classes or Table.CLASS_SCORES not in tables
    return families.get(metric.interval, Value.RANKED if ranked else Value.OTHER)


def _of_sets(metric: Metric, average: Average | None) -> Value:
    """Of rows with sets of labels: a mean over rows, or over labels."""
    if metric.table is not Table.LABEL_SETS and average is not Average.SAMPLES:
        return Value.OTHER if metric.table is Table.SCORES else Value.LABELS
    if metric.interval is Interval.PROPORTION and average is None:
        return Value.SET_SHARE
    return Value.SET_MEAN if metric.is_bounded else Value.SET_LOSS


def _of_table(metric: Metric, average: Average | None, *, alone: bool, two_classes: bool) -> Value:
    whole = not two_classes and metric.scope == "all"
    if metric.interval is Interval.PROPORTION and alone:
        return Value.SHARE
    if metric.interval is Interval.RATIO and average is None:
        return Value.IMPACT
    if metric.shares is not None and average is None and not whole:
        return Value.RATIO if metric.score_limits else Value.SHARES
    if metric.interval is Interval.MEAN and average is None:
        return Value.TABLE_MEAN
    return Value.WHOLE


def _has_losses(metric: Metric, two_classes: bool) -> bool:
    """Whether a value is a mean over rows of losses that are never below 0."""
    known = metric.row_loss if two_classes else metric.class_loss or metric.row_loss
    return known is not None and metric.range_of(2 if two_classes else 3)[0] >= 0


# -- differences --------------------------------------------------------------------------------


class Family(Enum):
    """Metrics that are compared alike, with the reason that the plan prints."""

    ROWS = "a share of rows with a given true class"
    CALLS = "a share of rows with a given prediction"
    AREA = "the area under the ROC curve"
    MEAN = "a mean over rows"
    SHARES = "a function of shares of the rows"
    OTHER = "no formula is known: groups of rows are left out"
    #: Other functions of the table, and values with limits that go together in a known way.
    TABLE = "a function of the table: by what each row contributes"
    LIMITS = "by the limits of both values"


#: Names of tests, and of limits.
Methods = tuple[tuple[str, ...], tuple[str, ...]]


def _of_both(text: str) -> Methods:
    """Tests before a stroke and limits after it; without one each name is of both."""
    tests, _, limits = text.partition("/")
    return tuple(tests.split()), tuple((limits or tests).split())


_BY_ROWS = f"{BY_DESIGN} / {SANDWICH}"
_OF_SHARES = (
    f"two_proportion_z two_proportion_z fisher_exact mee miettinen_nurminen wald {BOOTSTRAP} / "
    f"{' '.join(dict.fromkeys(('newcombe_hybrid', 'wald', *UNPAIRED_METHODS)))} {PERCENTILE}"
)


def _drawn_too(names: str) -> str:
    return f"{names} {BOOTSTRAP} / {names} {PERCENTILE}"


#: Designs of the same rows, then two datasets of independent rows, and of others.
_COLUMNS = (*((design, True) for design in Design), (Design.ROWS, False), (Design.WEIGHTS, False))
#: For each family and design the tests and the limits of a difference, in the order of `VALUES`:
#: the default, what R and SAS print by default, then what else can be asked for.
DIFFERENCES: Mapping[Family, Mapping[tuple[Design, bool], Methods]] = {
    family: {place: _of_both(cell) for place, cell in zip(_COLUMNS, row, strict=True)}
    for family, row in {
        # the same rows: independent, with weights, in clusters, both, a sample; then two datasets
        Family.ROWS: (
            (f"mcnemar_exact mcnemar_corrected mcnemar_midp mcnemar tango wald {BOOTSTRAP} / "
            f"newcombe wald newcombe_uncorrected agresti_min tango {PERCENTILE}"),
            *3 * (ADDED,), _BY_ROWS, _OF_SHARES, ADDED,
        ),
        Family.CALLS: (
            (f"leisenring leisenring kosinski wald {MOSKOWITZ_PEPE} {BOOTSTRAP} / "
            f"{ADDED} {ADDED} wald {PERCENTILE}"),
            *3 * (ADDED,), _BY_ROWS, _OF_SHARES, ADDED,
        ),
        Family.AREA: (
            _drawn_too("delong_score delong"), ADDED, AREA_OF_CLUSTERS, ADDED, _BY_ROWS,
            _drawn_too("delong_score_unpaired delong_unpaired"), ADDED,
        ),
        Family.MEAN: (
            _drawn_too(f"{SATTERTHWAITE} {PAIRED_T}"), *4 * (_BY_ROWS,),
            *2 * (_drawn_too(f"{SATTERTHWAITE} {WELCH}"),),
        ),
        Family.SHARES: (
            _drawn_too(f"{TWO_TABLES} {TWO_TABLES}"), *3 * (ADDED,), _BY_ROWS,
            _drawn_too(f"{ADDED} {ADDED}"), ADDED,
        ),
        Family.OTHER: (
            (f"{JACKKNIFE} {JACKKNIFE} {ADDED} {BY_DESIGN} {BOOTSTRAP} / "
            f"{JACKKNIFE} {JACKKNIFE} {ADDED} {SANDWICH} {PERCENTILE}"),
            *4 * (JACKKNIFE,), _drawn_too(f"{ADDED} {ADDED}"), ADDED,
        ),
        Family.TABLE: (*5 * (_BY_ROWS,), *2 * (ADDED,)),
        Family.LIMITS: (*4 * (ADDED,), _BY_ROWS, *2 * (ADDED,)),
    }.items()
}  # fmt: skip

#: Limits of the ratio of two shares, by which rows they are of.
OF_RATIOS = {Family.ROWS: ALONZO, Family.CALLS: MOSKOWITZ_PEPE}

#: Tests with limits, by their names, that are one calculation: Student's t, or a normal deviate.
STUDENT = {
    (SATTERTHWAITE, SATTERTHWAITE), (PAIRED_T, PAIRED_T), (WELCH, WELCH), (BY_DESIGN, SANDWICH),
    (OF_FOLDS, OF_FOLDS), ("delong", "delong"), ("delong_unpaired", "delong_unpaired"),
    (JACKKNIFE, JACKKNIFE),
}  # fmt: skip
#: Others that are one calculation, so that they never disagree.
ONE = {
    *STUDENT, ("delong_score", "delong_score"), ("delong_score_unpaired", "delong_score_unpaired"),
    (TWO_TABLES, TWO_TABLES), (ADDED, ADDED), (BOOTSTRAP, PERCENTILE), (CLUSTERS, CLUSTERS),
}  # fmt: skip


def methods_of(family: Family, design: Design = Design.ROWS, *, paired: bool = True) -> Methods:
    """The tests and the limits of differences, default first, of the same rows or of two datasets.

    >>> methods_of(Family.SHARES, paired=False)[1]
    ('square_and_add', 'bootstrap_percentile')
    """
    tests, limits = DIFFERENCES[family][_column(design, paired=paired)]
    return tuple(dict.fromkeys(tests)), tuple(dict.fromkeys(limits))


def _column(design: Design, *, paired: bool) -> tuple[Design, bool]:
    """Of two datasets rows are independent or not."""
    return (design if paired or design is Design.ROWS else Design.WEIGHTS), paired


def default_of(family: Family, design: Design, *, paired: bool) -> tuple[str, str]:
    """The test and the limits of a difference of which a spec says nothing.

    >>> default_of(Family.AREA, Design.ROWS, paired=True)
    ('delong_score', 'delong_score')
    """
    tests, limits = DIFFERENCES[family][_column(design, paired=paired)]
    return tests[0], limits[0]


def classical_of(family: Family, design: Design, *, paired: bool) -> tuple[str, str]:
    """Those that R and SAS print by default; the default where they print nothing.

    >>> classical_of(Family.AREA, Design.ROWS, paired=True)
    ('delong', 'delong')
    """
    tests, limits = DIFFERENCES[family][_column(design, paired=paired)]
    return printed(tests), printed(limits)


#: Values that have limits with weights and in clusters without drawing rows; those of losses are
#: far too wide to be added.
_ANALYTIC = (
    *(Interval.PROPORTION, Interval.TWO_RATES, Interval.SMOOTH, Interval.KAPPA),
    *(Interval.CORRELATION, Interval.AUC),
)


def family_in(
    family: Family, metric: Metric, design: Design, *, paired: bool, single: bool, of_table: bool
) -> Family:
    """The family whose methods hold in a design.

    Where rows depend on each other it may be a wider one. Limits of both values are enough of the
    same rows where it is known how they go together. ``single``: no average and no metric of all
    classes' scores; ``of_table``: of a classification table.
    """
    if not paired or family is Family.MEAN:
        return family
    if design is Design.SAMPLE:
        return Family.TABLE if metric.linearised and (single or of_table) else Family.OTHER
    if family is Family.OTHER:
        known = metric.influence is not None or metric.class_pairs
        known |= (of_table and metric.is_bounded) or (single and metric.interval is Interval.LOG)
        by_limits = Family.LIMITS if known else None
    elif design is Design.ROWS or (single and metric.interval in _ANALYTIC):
        by_limits = family
    else:
        by_limits = None
    return by_limits or (Family.TABLE if of_table else Family.OTHER)


#: Tests of equality alone, each with the one that takes its place against a margin.
AT_A_MARGIN: Mapping[str, str] = {
    **dict.fromkeys(("mcnemar_exact", "mcnemar_midp", "mcnemar", "mcnemar_corrected"), "tango"),
    **dict.fromkeys(("two_proportion_z", "fisher_exact"), "miettinen_nurminen"),
    **dict.fromkeys(("leisenring", "kosinski", MOSKOWITZ_PEPE), "wald"),
}

#: One test of more than two models on the same rows.
SEVERAL: Mapping[Family, str] = {
    Family.ROWS: "cochran_q",
    Family.AREA: "delong",
    Family.MEAN: "friedman",
}

#: Names that mean another form of the same method where the rows are not the same.
WITHOUT_PAIRS = {
    "delong": "delong_unpaired",
    "delong_score": "delong_score_unpaired",
    "newcombe": "newcombe_hybrid",
    TWO_TABLES: ADDED,
}


def family_of(
    metric: Metric, average: str | None, *, paired: bool = True, two_classes: bool = True
) -> Family:
    """How a value of this metric is compared.

    >>> from evalreport.metrics.combined import f1
    >>> from evalreport.metrics.counts import precision, recall
    >>> [family_of(m, None).name for m in (recall, precision, f1)]
    ['ROWS', 'CALLS', 'SHARES']
    """
    if metric.interval is Interval.AUC and average is None:
        return Family.AREA
    if metric.interval is Interval.MEAN and average is None:
        return Family.MEAN
    if metric.interval is Interval.PROPORTION:
        if average == Average.MICRO.value and pooled_over_rows(metric):
            return Family.ROWS
        if average is None and not paired:
            return Family.ROWS
        if average is None and metric.table is Table.COUNTS:
            share = share_of(metric)
            if share.is_of_actual:
                return Family.ROWS
            return Family.CALLS if share.is_of_predicted else Family.SHARES
    of_class = metric.table is Table.COUNTS and metric.scope == "class"
    shares = metric.shares is not None and metric.interval is not Interval.LOG
    if shares and average is None and (two_classes or of_class):
        return Family.SHARES
    return Family.OTHER


def has_ratio(metric: Metric) -> bool:
    """Whether limits of the ratio of two values are known: of shares of rows."""
    return family_of(metric, None) in (Family.ROWS, Family.CALLS)


def known_methods(
    metric: Metric, place: int, same_rows: Iterable[bool] = (True, False)
) -> tuple[str, ...]:
    """Tests (``place`` 0) or interval methods (1) of a difference of a metric, default first.

    Of two models on the same rows, of two datasets, or of both. They are those of a single class
    and of the pooled average: which of them a number takes is planned.
    """
    averages = (None, Average.MICRO.value) if Average.MICRO in metric.averages else (None,)
    found: dict[str, None] = {}
    for paired in same_rows:
        names: dict[str, None] = {}
        for average in averages:
            family = family_of(metric, average, paired=paired)
            names |= dict.fromkeys(methods_of(family, paired=paired)[place])
        if not paired:
            # the name of the paired form is understood too
            names |= {old: None for old, name in WITHOUT_PAIRS.items() if name in names}
        found |= names
    return tuple(found)


known_tests = partial(known_methods, place=0)
known_intervals = partial(known_methods, place=1)


def limits_of_moves(*, weighted: bool, clustered: bool) -> str:
    """Limits of net reclassification, by how rows hang together."""
    return "cluster_robust" if clustered else SANDWICH if weighted else WALD
