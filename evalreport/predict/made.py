"""What comes of a model on a dataset, made here or read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evalreport.spec.models import EstimatorModel, LinearModel, OnnxModel, SkopsModel

if TYPE_CHECKING:
    from evalreport.data.checked import Checked
    from evalreport.predict.features import FeatureTable
    from evalreport.predict.outcome import Codes, FoldedPredictions, FoldFailure
    from evalreport.predict.schemes import Groups, Splits
    from evalreport.predict.view import LabelView, View

#: Models whose predictions are made here, not read from a column.
MADE_HERE = (LinearModel, EstimatorModel, SkopsModel, OnnxModel)


@dataclass(frozen=True, eq=False)
class Made:
    """What came of a model on a dataset.

    ``view``: its rows (of the first repeat, each once), None where every fold failed.
    ``folded``: all out-of-fold predictions, None for models that are not trained here.
    ``rows``: the checked rows that ``folded.row`` counts; ``table`` their features,
    ``actual`` their codes, ``splits`` the folds and ``groups`` what is kept together.
    ``fits``: how many fits the predictions cost where none are kept.
    """

    view: View | None
    failures: tuple[FoldFailure, ...] = ()
    folded: FoldedPredictions | None = None
    rows: Checked | None = None
    table: FeatureTable | None = None
    further_repeats: tuple[LabelView, ...] = ()
    key: str = ""
    fits: int = 0
    splits: Splits | None = None
    actual: Codes | None = None
    groups: Groups | None = None
