"""The methods of intervals and tests: each declared once, with its title and its source.

What can be asked for and which is the default are lists of these names, by family of metrics
(``kinds.Interval``) and by what is compared (``comparing``); those of shares are the names of the
formulas in ``statistics``. The words of the page, the sources it cites and the pages of
documentation follow from here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Method:
    """A method by its name in records and specs, as the field writes it, and where it is from.

    ``source`` is empty where the method is in every textbook, or is named by what it does.
    """

    name: str
    title: str
    source: str = ""


_MCNEMAR = "McNemar Q. Psychometrika 12, 1947"
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
_KORN = "Korn E., Graubard B. Survey Methodology 24, 1998"
_NEWCOMBE_ONE = "Newcombe R. Stat Med 17, 1998 (single proportions)"
_NEWCOMBE_PAIRED = "Newcombe R. Stat Med 17, 1998 (paired differences)"
_NEWCOMBE_TWO = "Newcombe R. Stat Med 17, 1998 (independent differences)"
_ZOU = "Zou G., Donner A. Stat Med 27, 2008"

DECLARED = (
    # shares of rows
    Method("wilson", "Wilson", "Wilson E. JASA 22, 1927"),
    Method("wilson_cc", "Wilson, continuity corrected", _NEWCOMBE_ONE),
    Method("wilson_n_eff", "Wilson on effective rows", _KORN),
    Method("clopper_pearson", "Clopper-Pearson", "Clopper C., Pearson E. Biometrika 26, 1934"),
    Method("agresti_coull", "Agresti-Coull", "Agresti A., Coull B. Am Stat 52, 1998"),
    Method("jeffreys", "Jeffreys", "Brown L., Cai T., DasGupta A. Statistical Science 16, 2001"),
    Method("wald", "Wald"),
    Method("wald_t", "Wald, t"),
    Method("wald_cc", "Wald, continuity corrected"),
    Method("mid_p", "mid-p"),
    Method("likelihood_ratio", "likelihood ratio"),
    Method("logit", "logit"),
    Method("binomial_exact", "exact binomial"),
    Method(
        "wilson_kish",
        "Wilson on Kish's effective rows",
        "Kish L. Survey Sampling, 1965; Wilson E. JASA 22, 1927",
    ),
    Method(
        "cluster_robust_t",
        "cluster robust, t",
        "Wilson E. JASA 22, 1927; Korn E., Graubard B. Survey Methodology 24, 1998",
    ),
    # areas under the ROC curve
    Method("delong", "DeLong", _DELONG),
    Method("delong_unpaired", "DeLong, unpaired", _DELONG),
    Method("delong_logit", "DeLong on the logit", _DELONG),
    Method("delong_score", "DeLong in score form", f"{_SCORE_FORM}; Newcombe R. Stat Med 25, 2006"),
    Method("delong_score_unpaired", "DeLong in score form, unpaired", f"{_ZOU}; {_SCORE_FORM}"),
    Method(
        "sandwich_score",
        "sandwich variance in score form",
        "Hanley J., McNeil B. Radiology 143, 1982; Kish L. Survey Sampling, 1965",
    ),
    Method(
        "obuchowski_score",
        "Obuchowski in score form, t",
        "Obuchowski N. Biometrics 53, 1997; Hanley J., McNeil B. Radiology 143, 1982",
    ),
    Method("hanley_mcneil", "Hanley-McNeil", "Hanley J., McNeil B. Radiology 143, 1982"),
    Method("obuchowski", "Obuchowski", "Obuchowski N. Biometrics 53, 1997"),
    # functions of a table, means and sums
    Method("square_and_add", "square-and-add", _ZOU),
    Method("mover_jeffreys", "square-and-add of Jeffreys limits", f"{_ZOU}; {_LAUD}"),
    Method("mover_clusters", "square-and-add over the design effect", f"{_RAO_SCOTT}; {_ZOU}"),
    Method("mover_weighted", "square-and-add on effective rows", f"{_RAO_SCOTT}; {_ZOU}"),
    Method(
        "mover_paired",
        "square-and-add of paired shares",
        f"{_ZOU}; {_NEWCOMBE_PAIRED}; Brown L., Cai T., DasGupta A. Statistical Science 16, 2001",
    ),
    Method(
        "log_t",
        "t on the logarithm",
        f"{_ZHOU}; Satterthwaite F. Biometrics Bulletin 2, 1946",
    ),
    Method("log_t_clusters", "t on the logarithm, clusters", f"{_ZHOU}; {_KORN}"),
    Method("koopman", "Koopman", "Koopman P. Biometrics 40, 1984"),
    Method(
        "miettinen_nurminen", "Miettinen-Nurminen", "Miettinen O., Nurminen M. Stat Med 4, 1985"
    ),
    Method("log", "log method"),
    Method("fisher_z", "Fisher z"),
    Method("normal", "normal"),
    Method("mercaldo", "Mercaldo", "Mercaldo N., Lau K., Zhou X. Stat Med 26, 2007"),
    Method("delta_t", "delta method on the logit, t", _WIDENED),
    Method("sandwich_t", "sandwich variance on the logit, t", _WIDENED),
    Method("influence_t", "influence function on the logit, t", _WIDENED),
    Method("delta", "delta method", "Squire W., Trapp G. SIAM Review 40, 1998 (derivatives)"),
    Method("influence", "influence function", "Hampel F. et al. Robust Statistics, 1986"),
    Method("grouped_jackknife", "grouped jackknife", "Kott P. J Official Statistics 17, 2001"),
    Method("nadeau_bengio", "Nadeau-Bengio", "Nadeau C., Bengio Y. Machine Learning 52, 2003"),
    # samples, weights and clusters
    Method("sandwich", "sandwich variance", _BINDER),
    Method("cluster_robust", "cluster robust", "Genders T. et al. Radiology 265, 2012"),
    Method("design_based", "by the design", _BINDER),
    Method(
        "linearised_t",
        "linearised variance, Student's t",
        "Gwet K. Br J Math Stat Psychol 61, 2008",
    ),
    # drawn rows
    Method("bootstrap", "bootstrap", _BOOTSTRAP),
    Method("bootstrap_percentile", "bootstrap, percentile", _BOOTSTRAP),
    Method("bootstrap_bca", "bootstrap, BCa", "Efron B. JASA 82, 1987"),
    Method("cluster_bootstrap", "cluster bootstrap", _BOOTSTRAP),
    Method(
        "survey_bootstrap",
        "bootstrap within strata",
        "Rao J., Wu C., Yue K. Survey Methodology 18, 1992",
    ),
    Method("bootstrap_logit_t", "t on the logit, drawn rows", _BOOTSTRAP),
    Method("cluster_bootstrap_logit_t", "t on the logit, drawn clusters", _BOOTSTRAP),
    # at a chosen cut
    Method("newcombe_at_cut", "Newcombe at the cut", _NEWCOMBE_TWO),
    Method("clusters_at_cut", "square-and-add of clustered rates at the cut", _ZOU),
    Method(
        "wilson_at_rate",
        "Wilson, and where the threshold may lie",
        f"Wilson E. JASA 22, 1927; David H., Nagaraja H. Order Statistics, 2003, 7.1; {_ZOU}",
    ),
    # two models on the same rows
    Method("mcnemar_exact", "McNemar, exact", _MCNEMAR),
    Method(
        "mcnemar_midp",
        "McNemar, mid-p",
        "Fagerland M., Lydersen S., Laake P. BMC Med Res Methodol 13, 2013",
    ),
    Method("mcnemar", "McNemar", _MCNEMAR),
    Method("mcnemar_corrected", "McNemar, corrected", _MCNEMAR),
    Method("newcombe", "Newcombe", _NEWCOMBE_PAIRED),
    Method("newcombe_uncorrected", "Newcombe, uncorrected", _NEWCOMBE_PAIRED),
    Method("agresti_min", "Agresti-Min", "Agresti A., Min Y. Stat Med 24, 2005"),
    Method("tango", "Tango", "Tango T. Stat Med 17, 1998"),
    Method("leisenring", "Leisenring", "Leisenring W., Alonzo T., Pepe M. Biometrics 56, 2000"),
    Method("kosinski", "Kosinski", "Kosinski A. Stat Med 32, 2013"),
    Method("moskowitz_pepe", "Moskowitz-Pepe", "Moskowitz C., Pepe M. Clinical Trials 3, 2006"),
    Method("paired_t", "paired t"),
    # one model on two datasets
    Method("newcombe_hybrid", "Newcombe", _NEWCOMBE_TWO),
    Method("newcombe_hybrid_cc", "Newcombe, continuity corrected", _NEWCOMBE_TWO),
    Method("two_proportion_z", "two-proportion z"),
    Method("fisher_exact", "Fisher, exact"),
    Method("mee", "Mee", "Mee R. Biometrics 40, 1984"),
    Method("agresti_caffo", "Agresti-Caffo", "Agresti A., Caffo B. Am Stat 54, 2000"),
    Method("satterthwaite_t", "Satterthwaite's t", "Satterthwaite F. Biometrics Bulletin 2, 1946"),
    Method("welch_t", "Welch's t", "Welch B. Biometrika 34, 1947"),
    # more than two models, readers, groups and periods
    Method("cochran_q", "Cochran Q", "Cochran W. Biometrika 37, 1950"),
    Method("friedman", "Friedman", "Friedman M. JASA 32, 1937"),
    Method("alonzo", "Alonzo-Pepe-Moskowitz", "Alonzo T., Pepe M., Moskowitz C. Stat Med 21, 2002"),
    Method(
        "obuchowski_rockette_hillis",
        "Obuchowski-Rockette-Hillis",
        "Obuchowski N., Rockette H. Commun Stat Simul Comput 24, 1995; Hillis S. Stat Med 26, 2007",
    ),
    Method("chi_square", "chi-square"),
    Method("kolmogorov_smirnov", "Kolmogorov-Smirnov"),
    Method("cochran_armitage", "Cochran-Armitage"),
    Method("weighted_slope", "weighted slope"),
    Method("newcombe_hybrid_simultaneous", "Newcombe hybrid, simultaneous"),
    Method("square_and_add_simultaneous", "square-and-add, simultaneous"),
    # corrections for several tests
    Method("holm", "Holm", "Holm S. Scand J Statist 6, 1979"),
    Method("bonferroni", "Bonferroni"),
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
