"""Where the methods of intervals and tests are from: the paper of each, cited by the report.

Methods for few rows bear their source where they are declared
(``metrics/interval_methods.py``). A method that is in every textbook, or named by what it does,
has none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from evalreport.metrics.interval_methods import DIFFERENCES, EVERY
from evalreport.report.words import method_text

_MCNEMAR = "McNemar Q. Psychometrika 12, 1947"
_NEWCOMBE_PAIRED = "Newcombe R. Stat Med 17, 1998 (paired differences)"
_NEWCOMBE_TWO = "Newcombe R. Stat Med 17, 1998 (independent differences)"
_NEWCOMBE_ONE = "Newcombe R. Stat Med 17, 1998 (single proportions)"
_DELONG = "DeLong E., DeLong D., Clarke-Pearson D. Biometrics 44, 1988"
_BOOTSTRAP = "Efron B., Tibshirani R. An Introduction to the Bootstrap, 1993"
_ZOU = "Zou G., Donner A. Stat Med 27, 2008"
_KORN = "Korn E., Graubard B. Survey Methodology 24, 1998"
_BINDER = "Binder D. International Statistical Review 51, 1983"
#: The source of a method by its name in the records.
SOURCES: Mapping[str, str] = {
    "wilson": "Wilson E. JASA 22, 1927",
    "wilson_cc": _NEWCOMBE_ONE,
    "wilson_n_eff": _KORN,
    "clopper_pearson": "Clopper C., Pearson E. Biometrika 26, 1934",
    "agresti_coull": "Agresti A., Coull B. Am Stat 52, 1998",
    "jeffreys": "Brown L., Cai T., DasGupta A. Statistical Science 16, 2001",
    "delong": _DELONG,
    "delong_unpaired": _DELONG,
    "welch_t": "Welch B. Biometrika 34, 1947",
    "delong_logit": _DELONG,
    "hanley_mcneil": "Hanley J., McNeil B. Radiology 143, 1982",
    "obuchowski": "Obuchowski N. Biometrics 53, 1997",
    "obuchowski_rockette_hillis": "Obuchowski N., Rockette H. Commun Stat Simul Comput 24, 1995; "
    "Hillis S. Stat Med 26, 2007",
    "newcombe_hybrid": _NEWCOMBE_TWO,
    "newcombe_hybrid_cc": _NEWCOMBE_TWO,
    "newcombe": _NEWCOMBE_PAIRED,
    "newcombe_uncorrected": _NEWCOMBE_PAIRED,
    "square_and_add": _ZOU,
    "koopman": "Koopman P. Biometrics 40, 1984",
    "miettinen_nurminen": "Miettinen O., Nurminen M. Stat Med 4, 1985",
    "mee": "Mee R. Biometrics 40, 1984",
    "mercaldo": "Mercaldo N., Lau K., Zhou X. Stat Med 26, 2007",
    "delta": "Squire W., Trapp G. SIAM Review 40, 1998 (derivatives)",
    "influence": "Hampel F. et al. Robust Statistics, 1986",
    "grouped_jackknife": "Kott P. J Official Statistics 17, 2001",
    "nadeau_bengio": "Nadeau C., Bengio Y. Machine Learning 52, 2003",
    "sandwich": _BINDER,
    "design_based": _BINDER,
    "cluster_robust": "Genders T. et al. Radiology 265, 2012",
    "survey_bootstrap": "Rao J., Wu C., Yue K. Survey Methodology 18, 1992",
    "linearised_t": "Gwet K. Br J Math Stat Psychol 61, 2008",
    "cluster_bootstrap": _BOOTSTRAP,
    "bootstrap_percentile": _BOOTSTRAP,
    "bootstrap": _BOOTSTRAP,
    "bootstrap_bca": "Efron B. JASA 82, 1987",
    "bootstrap_logit_t": _BOOTSTRAP,
    "cluster_bootstrap_logit_t": _BOOTSTRAP,
    "newcombe_at_cut": _NEWCOMBE_TWO,
    "clusters_at_cut": "Zou G., Donner A. Stat Med 27, 2008",
    "mcnemar": _MCNEMAR,
    "mcnemar_exact": _MCNEMAR,
    "mcnemar_corrected": _MCNEMAR,
    "mcnemar_midp": "Fagerland M., Lydersen S., Laake P. BMC Med Res Methodol 13, 2013",
    "agresti_min": "Agresti A., Min Y. Stat Med 24, 2005",
    "agresti_caffo": "Agresti A., Caffo B. Am Stat 54, 2000",
    "tango": "Tango T. Stat Med 17, 1998",
    "leisenring": "Leisenring W., Alonzo T., Pepe M. Biometrics 56, 2000",
    "kosinski": "Kosinski A. Stat Med 32, 2013",
    "moskowitz_pepe": "Moskowitz C., Pepe M. Clinical Trials 3, 2006",
    "alonzo": "Alonzo T., Pepe M., Moskowitz C. Stat Med 21, 2002",
    "cochran_q": "Cochran W. Biometrika 37, 1950",
    "friedman": "Friedman M. JASA 32, 1937",
    "holm": "Holm S. Scand J Statist 6, 1979",
} | {method.name: method.reference.rstrip(".") for method in (*DIFFERENCES, *EVERY)}


class References:
    """Numbered sources, in the order in which they are cited."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def cite(self, source: str) -> str:
        """The number of a source in brackets; nothing where there is none.

        >>> found = References()
        >>> found.cite("Wilson E., 1927."), found.cite(""), found.cite("Wilson E., 1927")
        ('[1]', '', '[1]')
        """
        source = source.rstrip(".")
        return f"[{self._numbers.setdefault(source, len(self._numbers) + 1)}]" if source else ""

    def methods(self, names: Iterable[str]) -> str:
        """Methods by their names, each with the number of its source.

        >>> References().methods(["wilson", "wald"])
        'Wilson [1], Wald'
        """
        said = (f"{method_text(name)} {self.cite(SOURCES.get(name, ''))}".strip() for name in names)
        return ", ".join(dict.fromkeys(said))

    def text(self) -> str:
        """All sources with their numbers; nothing where none is cited."""
        return " ".join(f"[{number}] {source}." for source, number in self._numbers.items())
