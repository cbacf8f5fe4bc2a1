"""The metrics of every model as the ``model-index`` block of a Hugging Face model card."""

from __future__ import annotations

import json
from typing import Any

from evalreport.report.contents import Contents
from evalreport.results.lookup import Results


def model_index(results: Results) -> bytes:
    """YAML with one entry per model and one result per dataset; written as JSON, a part of YAML."""
    models: dict[str, dict[str, list[dict[str, Any]]]] = {}
    contents = Contents(results)
    for view in contents.views:
        metrics = [
            {"type": m.metric, "name": contents.title(m), "value": m.value, "args": dict(m.params)}
            for m in contents.pooled(view)
            if m.value is not None
        ]
        if metrics:
            dataset, model = view
            models.setdefault(model, {})[dataset] = metrics
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
