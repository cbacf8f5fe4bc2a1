"""What published guidance says of a metric, and no more than it says.

Of 32 measures of models that give probabilities of two outcomes in medicine, the topic group of
the STRATOS initiative names those that are essential to report, and finds all that judge a
classification improper at thresholds other than 0.5 and the prevalence, F1 the only one of the
32 without either of two wanted properties. Measures of which its summary says nothing by name or
kind are not marked.
"""

from __future__ import annotations

VAN_CALSTER = (
    "Van Calster B. et al. Evaluation of performance measures in predictive artificial "
    "intelligence models to support medical decisions: overview and guidance. Lancet Digital "
    "Health, 2025"
)


#: Whether a metric is essential to report where medical decisions are supported, and why.
ESSENTIAL = (
    "essential to report, beside a calibration plot and the distributions of the probabilities "
    "in either class"
)
IMPROPER = (
    "improper at thresholds other than 0.5 and the prevalence: probabilities that are wrong can "
    "be expected to have a better value than right ones"
)
NEITHER = (
    "like other threshold measures, not a proper score; it measures neither statistical "
    "performance alone nor the costs of mistakes"
)
#: All there are, in the order in which they are told.
ADVICES = (ESSENTIAL, IMPROPER, NEITHER)
