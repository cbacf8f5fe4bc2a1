"""The audit with Evidently, which gives no intervals; no part of evalreport.

Arguments: a Parquet file, the page to write.
"""

from __future__ import annotations

import sys

import pandas as pd
from evidently import BinaryClassification, DataDefinition, Dataset, Report
from evidently.presets import ClassificationPreset


def main() -> None:
    rows = pd.read_parquet(sys.argv[1])
    definition = DataDefinition(
        classification=[
            BinaryClassification(
                target="truth",
                prediction_probas="score",
                prediction_labels="said",
                pos_label="sick",
                labels={"sick": "sick", "well": "well"},
            )
        ],
        categorical_columns=["truth", "said"],
        numerical_columns=["score"],
    )
    rows["said"] = (rows["score"] >= 0.5).map({True: "sick", False: "well"})
    slices = [rows]
    for column in ("sex", "site"):
        slices += [part for _, part in rows.groupby(column)]
    for number, part in enumerate(slices):
        dataset = Dataset.from_pandas(part[["truth", "score", "said"]], data_definition=definition)
        found = Report([ClassificationPreset()]).run(dataset, None)
        found.save_html(f"{sys.argv[2]}{number}.html")


main()
