"""Worked examples of the manuals of SAS, with the values that these print.

The counts and rows are those of the examples, the values and limits those of their output, so
each is met within half of its last printed digit.
"""

from __future__ import annotations

from typing import Any

PRINTED = {"abs": 5.1e-5, "rel": 0.0}
FREQ_BINOMIAL = (
    "SAS/STAT User's Guide, version 8, The FREQ Procedure, Example 28.3, Output 28.3.1 "
    "(www.sfu.ca/sasdoc/sashtml/stat/chap28/sect36.htm)"
)
NOTE_24170 = "SAS Usage Note 24170, PROC FREQ (support.sas.com/kb/24/170.html)"
FREQ_AGREE = (
    "SAS/STAT 13.1 User's Guide, The FREQ Procedure, Getting Started: Agreement Study "
    "(support.sas.com/documentation/cdl/en/statug/67523/HTML/default/statug_freq_gettingstarted02.htm)"
)
LOGISTIC_ROC = (
    "SAS/STAT 13.1 User's Guide, The LOGISTIC Procedure, Example 60.8, ROC Association Statistics "
    "(support.sas.com/documentation/cdl/en/statug/67523/HTML/default/statug_logistic_examples08.htm)"
)
#: Eye colour of 762 children: 341 are brown. Limits of 90 %, by the method that PROC FREQ names.
EYES = (341, 762)
EYES_LIMITS = {"wald": (0.4179, 0.4771), "clopper_pearson": (0.4174, 0.4779)}
#: A test against a response: TN, FP, FN, TP; what the note prints as shares of rows and columns.
FAT = [[6, 4], [2, 11]]
FAT_VALUES = {"recall": 0.8462, "specificity": 0.6, "precision": 0.7333, "npv": 0.75}
#: Two dermatologists, 88 patients: the one in rows, the other in columns.
GRADES = ("terrible", "poor", "marginal", "clear")
SKIN = ((10, 4, 1, 0), (5, 10, 12, 2), (2, 4, 12, 5), (0, 2, 6, 13))
#: DeLong, DeLong and Clarke-Pearson 1988: albumin, total protein, K-G score, benefit of surgery.
OVARIAN = """
3.0 5.8 10 0 3.2 6.3 5 1 3.9 6.8 3 1 2.8 4.8 6 0 3.2 5.8 3 1 0.9 4.0 5 0 2.5 5.7 8 0 1.6 5.6 5 1
3.8 5.7 5 1 3.7 6.7 6 1 3.2 5.4 4 1 3.8 6.6 6 1 4.1 6.6 5 1 3.6 5.7 5 1 4.3 7.0 4 1 3.6 6.7 4 0
2.3 4.4 6 1 4.2 7.6 4 0 4.0 6.6 6 0 3.5 5.8 6 1 3.8 6.8 7 1 3.0 4.7 8 0 4.5 7.4 5 1 3.7 7.4 5 1
3.1 6.6 6 1 4.1 8.2 6 1 4.3 7.0 5 1 4.3 6.5 4 1 3.2 5.1 5 1 2.6 4.7 6 1 3.3 6.8 6 0 1.7 4.0 7 0
3.7 6.1 5 1 3.3 6.3 7 1 4.2 7.7 6 1 3.5 6.2 5 1 2.9 5.7 9 0 2.1 4.8 7 1 2.8 6.2 8 0 4.0 7.0 7 1
3.3 5.7 6 1 3.7 6.9 5 1 3.6 6.6 5 1
"""
#: The area under the ROC curve of each, with the limits of 95 %.
AREAS = {
    "albumin": (0.7366, 0.5549, 0.9182),
    "protein": (0.6478, 0.4518, 0.8439),
    "score": (0.7258, 0.5243, 0.9273),
}


def sas_cases() -> list[dict[str, Any]]:
    """The examples as cases."""
    return [_eyes(), _fat(), _skin(), _ovarian()]


def _answer(metric: str, source: str, requirement: str, **more: Any) -> dict[str, Any]:
    of = {"metric": metric, **more.pop("of", {})}
    return {"of": of, "source": source, "tolerance": PRINTED, "requirement": requirement, **more}


def _counted(title: str, counts: list[list[int]], metrics: list[str]) -> dict[str, Any]:
    table = {"labels": ["no", "yes"], "counts": counts}
    return {
        "evalreport": 1,
        "title": title,
        "datasets": {"d": {"table": table}},
        "models": {"m": {"prediction": "predicted"}},
        "positive": {"label": "yes"},
        "metrics": metrics,
    }


def _eyes() -> dict[str, Any]:
    found, of = EYES
    spec = _counted("sas_eyes", [[1, 0], [of - found, found]], ["recall"])
    spec["confidence"] = {"level": 0.9}
    runs = [
        {
            "methods": {"recall": method},
            "answers": [
                _answer("recall", FREQ_BINOMIAL, "R6", method=method, low=low, high=high),
                _answer("recall", FREQ_BINOMIAL, "R3", value=0.4475),
            ],
        }
        for method, (low, high) in EYES_LIMITS.items()
    ]
    return {"id": "sas_eyes", "spec": spec, "columns": None, "runs": runs}


def _fat() -> dict[str, Any]:
    answers = [_answer(name, NOTE_24170, "R3", value=value) for name, value in FAT_VALUES.items()]
    spec = _counted("sas_24170", FAT, list(FAT_VALUES))
    return _one_run("sas_24170", spec, None, {}, answers)


def _skin() -> dict[str, Any]:
    pairs = [
        (one, other)
        for one, row in zip(GRADES, SKIN, strict=True)
        for other, count in zip(GRADES, row, strict=True)
        for _ in range(count)
    ]
    spec = {
        "evalreport": 1,
        "title": "sas_skin",
        "datasets": {"d": {"target": "one", "labels": list(GRADES)}},
        "models": {"m": {"prediction": "other"}},
        "metrics": ["kappa"],
    }
    columns = {"one": [one for one, _ in pairs], "other": [other for _, other in pairs]}
    answers = [
        _answer("kappa", FREQ_AGREE, "R5", value=0.3449),
        _answer("kappa", FREQ_AGREE, "R7", method="wald", low=0.2030, high=0.4868),
    ]
    return _one_run("sas_skin", spec, columns, {"kappa": "wald"}, answers)


def _ovarian() -> dict[str, Any]:
    values = OVARIAN.split()
    albumin, protein, score, benefit = (values[k::4] for k in range(4))
    columns = {
        "benefit": benefit,
        "albumin": albumin,
        "protein": protein,
        "score": [f"{10 - int(value)}" for value in score],  # as the example turns it round
    }
    spec = {
        "evalreport": 1,
        "title": "sas_ovarian",
        "datasets": {"d": {"target": "benefit"}},
        "positive": {"label": "1"},
        "models": {name: {"score": name} for name in AREAS},
        "metrics": ["roc_auc"],
    }
    answers = []
    for name, (value, low, high) in AREAS.items():
        of = {"model": name}
        answers += [
            _answer("roc_auc", LOGISTIC_ROC, "R4", of=of, value=value),
            _answer("roc_auc", LOGISTIC_ROC, "R7", of=of, method="delong", low=low, high=high),
        ]
    return _one_run("sas_ovarian", spec, columns, {"roc_auc": "delong"}, answers)


def _one_run(
    name: str, spec: Any, columns: Any, methods: dict[str, str], answers: list[dict[str, Any]]
) -> dict[str, Any]:
    run = {"methods": methods, "answers": answers}
    return {"id": name, "spec": spec, "columns": columns, "runs": [run]}
