"""The Python interface: the same evaluation as the command, as values in memory.

results    what an evaluation gives       running     from a spec
arrays     from labels and scores         estimators  from scikit-learn's classifiers
scoring    one metric as a scorer         given       what callers hand over, checked
"""

from __future__ import annotations

from evalreport.api.arrays import evaluate
from evalreport.api.estimators import evaluate_estimator
from evalreport.api.results import Results
from evalreport.api.running import run
from evalreport.api.scoring import scorer

__all__ = ["Results", "evaluate", "evaluate_estimator", "run", "scorer"]
