"""Measures as the ``model-index`` block of a Hugging Face model card."""

from __future__ import annotations

import json
from typing import Any

from evalreport.report.headline import headline_measures, name_words
from evalreport.report.words import measure_title
from evalreport.results.lookup import Results


def model_index(results: Results) -> bytes:
    """YAML with one entry per model and one result per dataset; written as JSON, a part of YAML."""
    models: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for m in headline_measures(results):
        if m.value is None:
            continue
        found = models.setdefault(m.model, {}).setdefault(m.dataset, [])
        found.append(
            {
                "type": m.metric,
                "name": name_words(measure_title(m), m.label),
                "value": m.value,
                "args": dict(m.params),
            }
        )
    index = [
        {
            "name": model,
            "results": [
                {
                    "task": {"type": "tabular-classification"},
                    "dataset": {"name": dataset, "type": dataset},
                    "metrics": metrics,
                }
                for dataset, metrics in datasets.items()
            ],
        }
        for model, datasets in models.items()
    ]
    text = json.dumps({"model-index": index}, indent=2, ensure_ascii=False, allow_nan=False)
    return (text + "\n").encode("utf-8")
