"""JSON Schema of ``results.json``."""

from __future__ import annotations

from typing import Any

from evalreport.predict.baselines import BASELINES

_TEXT = {"type": "string"}
_TEXT_OR_NULL = {"type": ["string", "null"]}
_NUMBER = {"type": "number"}
_NUMBER_OR_NULL = {"type": ["number", "null"]}
_GROUP = {"type": "object", "additionalProperties": {"type": "string"},
          "description": "Column and value of a subgroup; empty for all rows."}
STATES = ("value", "infinite", "undefined", "not_applicable")


def results_schema() -> dict[str, Any]:
    """The schema, draft 7; names in it are stable, more may be added."""
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "evalreport results",
        "type": "object",
        "required": ["schema", "title", "provenance", "rows", "tables", "measures", "curves",
                     "comparisons", "acceptance", "cautions"],
        "properties": {
            "schema": {"const": "evalreport/results/1"},
            "title": _TEXT,
            "provenance": {"type": "object",
                           "description": "Version, clock, spec, inputs, plan hash, seed."},
            "spec": {"type": "object", "description": "The resolved spec."},
            "plan": {"type": "object",
                     "description": "Hash of the plan, what it skips, how rows become tables."},
            "labels": _list({"type": "object"}, "The label ledger of each dataset and model."),
            "thresholds": _list({"type": "object"}, "Each threshold, declared or exploratory."),
            "failures": _list({"type": "object"}, "Sections that failed, with the reason."),
            "subgroup_gaps": _list({"type": "object"}, "Gap and ratio of subgroups."),
            "heterogeneity": _list({"type": "object"}, "Tests whether subgroups differ."),
            "rows": _list(_rows(), "The row ledger: read = used + excluded."),
            "tables": _list(_table(), "Classification tables."),
            "measures": _list(_measure(), "One record is one number of the report."),
            "curves": _list(_curve(), "Points of curves, as columns of equal length."),
            "comparisons": _list(_comparison(), "Differences: model minus reference."),
            "acceptance": _list(_acceptance(), "Criteria and their outcomes."),
            "cautions": _list(_caution(), "What a reader has to know."),
            **_of_groups_and_models(),
            **_of_training_and_time(),
        },
    }


def _of_groups_and_models() -> dict[str, Any]:
    """Records that hold subgroups, models and declared values against each other."""
    return {
        "impact": _list(_impact(), "Selection and scoring rates of subgroups, by model, "
                        "threshold and column or crossing, and their impact ratios."),
        "reclassification": _list(
            _object(
                "dataset model reference label threshold reference_threshold rows events "
                "nonevents net interval test statistic p_value reason",
                dataset=_TEXT, model=_TEXT, reference=_TEXT, label=_TEXT_OR_NULL,
                threshold=_NUMBER_OR_NULL, reference_threshold=_NUMBER_OR_NULL,
                rows=_NUMBER, events=_moves(), nonevents=_moves(), net=_NUMBER_OR_NULL,
                interval=_interval(), test=_TEXT_OR_NULL, statistic=_NUMBER_OR_NULL,
                p_value=_NUMBER_OR_NULL, reason=_TEXT_OR_NULL, note=_TEXT,
            ),
            "Net reclassification of models against the reference, where it was asked for.",
        ),
        "sample_size": _list(
            _object(
                "measure width half_width rows", measure=_TEXT, width=_NUMBER,
                half_width=_NUMBER, rows=_NUMBER, wanted_width=_NUMBER,
                denominator=_NUMBER, denominator_needed=_NUMBER,
                rows_needed=_NUMBER_OR_NULL, rule=_TEXT_OR_NULL, reason=_TEXT,
            ),
            "Widths of intervals, and the rows that confidence.width would take.",
        ),
        "declared": _list(_declared(), "Values declared elsewhere, beside the measured ones."),
        "baselines": _list(
            _object(
                "dataset baseline metric params average label value n note",
                dataset=_TEXT,
                baseline={
                    "enum": [*BASELINES, "previous"]
                },
                model=_TEXT, metric=_TEXT, params={"type": "object"}, average=_TEXT_OR_NULL,
                label=_TEXT_OR_NULL, value=_NUMBER_OR_NULL, n={"type": "integer"}, note=_TEXT,
            ),
            "What needs no model reaches on the same rows, and the previous model.",
        ),
        "against_baselines": _list(_against(), "Each model against each baseline."),
    }


def _of_training_and_time() -> dict[str, Any]:
    """Records of how models were made, of the data, and of change over time."""
    return {
        "tuning": _list(
            _object(
                "dataset model folds", dataset=_TEXT, model=_TEXT,
                folds=_list(
                    _object("fold params", fold=_TEXT, params={"type": "object"}),
                    "Parameters chosen on inner folds of the training rows of each fold.",
                ),
            ),
            "What nested tuning chose.",
        ),
        "training_overlap": _list(
            _object(
                "dataset other use models by columns rows of reason",
                dataset=_TEXT, other=_TEXT, use={"enum": ["training", "tuning"]},
                models={"type": "array", "items": _TEXT},
                by={"enum": ["id", "group", "content"]},
                columns={"type": "array", "items": _TEXT},
                rows={"type": ["integer", "null"], "minimum": 0},
                of={"type": ["integer", "null"], "minimum": 0}, reason=_TEXT_OR_NULL,
            ),
            "Rows of a tested dataset that one learned from holds too; 0 is written as well.",
        ),
        "periods": _list(
            _object(
                "dataset model metric column every periods measures values trend_p_value",
                dataset=_TEXT, model=_TEXT, metric=_TEXT, column=_TEXT, every=_TEXT,
                periods={"type": "array", "items": _TEXT},
                measures={"type": "array", "items": _TEXT},
                values={"type": "array", "items": _NUMBER_OR_NULL},
                change_p_value=_NUMBER_OR_NULL, trend_p_value=_NUMBER_OR_NULL,
                limits=_list(_limits(), "Control limits of each period, from those before."),
            ),
            "Each measure over time, with tests of a change and of a trend.",
        ),
        "characteristics": _list(_characteristics(), "Used rows described by class."),
        "logo": _object(
            "name sha256 address", name=_TEXT, sha256=_TEXT,
            address={"type": "string", "description": "The picture as a data: address."},
        ),
        "drift": _list(_drift(), "How far labels, scores and columns have moved."),
        "references": _list(
            _object("run results_sha256", run=_TEXT, results_sha256=_TEXT),
            "Earlier runs that comparisons and criteria refer to.",
        ),
    }


def _list(items: dict[str, Any], description: str) -> dict[str, Any]:
    return {"type": "array", "items": items, "description": description}


def _object(names: str, **properties: Any) -> dict[str, Any]:
    return {"type": "object", "required": names.split(), "properties": properties}


def _rows() -> dict[str, Any]:
    count = {"type": "integer", "minimum": 0}
    excluded = _object("reason count", reason=_TEXT, count=count)
    return _object(
        "dataset model read used excluded",
        dataset=_TEXT, model=_TEXT, read=count, used=count,
        excluded=_list(excluded, "Rows left out, by reason."),
    )


def _characteristics() -> dict[str, Any]:
    count = {"type": "integer", "minimum": 0}
    value = _object("value count", value=_TEXT, count=count)
    summary = ("mean", "sd", "median", "quartile_1", "quartile_3", "low", "high")
    group = _object(
        "label n missing",
        label=_TEXT_OR_NULL, n=count, missing=count, other=count,
        values=_list(value, "Rows of each value of a column of words."),
        **dict.fromkeys(summary, _NUMBER_OR_NULL),
    )
    column = _object(
        "column kind groups", column=_TEXT, kind={"enum": ["number", "category"]},
        groups=_list(group, "All used rows (label null), then those of each class."),
    )
    return _object(
        "dataset models rows classes columns",
        dataset=_TEXT, models={"type": "array", "items": _TEXT}, rows=count,
        classes=_list(_object("label rows", label=_TEXT, rows=count), "Rows of each class."),
        columns=_list(column, "The columns that were named."),
    )


def _table() -> dict[str, Any]:
    count = {"type": "number", "minimum": 0}
    matrix = {"type": ["array", "null"], "items": {"type": "array", "items": {"type": "number"}}}
    return _object(
        "id dataset model subgroup fold threshold labels positive rows columns counts",
        id=_TEXT, dataset=_TEXT, model=_TEXT, subgroup=_GROUP, fold=_TEXT_OR_NULL,
        threshold=_NUMBER_OR_NULL, threshold_rule=_TEXT_OR_NULL,
        labels={"type": "array", "items": _TEXT}, positive=_TEXT_OR_NULL,
        rows={"const": "actual"}, columns={"const": "predicted"}, counts=matrix,
        cells={"type": "array",
               "description": "Above 500 labels: [actual index, predicted index, count]."},
        extra_columns={"type": "array", "items": _TEXT,
                       "description": "Indeterminate predictions, as further columns."},
        label=_TEXT_OR_NULL,
        missing={
            **_object(
                "without_prediction without_target without_both",
                without_prediction=_list(count, "Rows without a prediction, by actual class."),
                without_target=_list(count, "Rows without a target, by predicted label, "
                                     "indeterminate ones last."),
                without_both=count,
            ),
            "description": "Rows of this place that were left out for what they lack.",
        },
    )


def _interval() -> dict[str, Any]:
    found = _object(
        "level low high method",
        level={"type": "number"}, low={"type": "number"}, high={"type": "number"}, method=_TEXT,
        note={"type": "string", "description": "A fallback, or a condition."},
        bias={"type": "number", "description": "Mean of the replicates less the value, where "
              "the value lies outside the limits."},
        why={"type": "string", "description": "Why this method was planned."},
    )
    return {"anyOf": [{"type": "null"}, found]}


def _limits() -> dict[str, Any]:
    return _object(
        "centre low high chart reason signal",
        centre=_NUMBER_OR_NULL, low=_NUMBER_OR_NULL, high=_NUMBER_OR_NULL, chart=_TEXT_OR_NULL,
        reason=_TEXT_OR_NULL, signal={"type": "boolean"},
    )


def _measure() -> dict[str, Any]:
    return _object(
        "id dataset model subgroup fold metric params average label threshold threshold_rule "
        "state value reason interval numerator denominator n table formula substituted",
        id=_TEXT, dataset=_TEXT, model=_TEXT, subgroup=_GROUP, fold=_TEXT_OR_NULL,
        metric=_TEXT, title=_TEXT, params={"type": "object"},
        average={"enum": [None, "macro", "micro", "weighted", "samples"]},
        label=_TEXT_OR_NULL, threshold=_NUMBER_OR_NULL, threshold_rule=_TEXT_OR_NULL,
        state={"enum": list(STATES)}, value=_NUMBER_OR_NULL, reason=_TEXT_OR_NULL,
        interval=_interval(), numerator=_NUMBER_OR_NULL, denominator=_NUMBER_OR_NULL,
        n={"type": "integer", "minimum": 0, "description": "Rows used."},
        interval_reason={"type": "string", "description": "Why a value has no interval."},
        weight={"type": "number", "description": "Sum of their weights, where weighted."},
        table=_TEXT_OR_NULL, formula=_TEXT, substituted=_TEXT,
        indeterminate={"enum": ["for", "against"]}, exploratory={"type": "boolean"},
        tables={"type": "array", "items": _TEXT}, spread=_NUMBER_OR_NULL,
        missing_bounds={
            **_object("low high", low=_extreme(), high=_extreme()),
            "description": "Worst and best case with the rows left out for what they lack "
            "(missing in its table): of a share or an area with its fraction, of other "
            "measures of one class against the rest with the four cells.",
        },
        few={"const": True, "description": "A subgroup of fewer rows than subgroup_minimum."},
    )


def _moves() -> dict[str, Any]:
    found = _object("n up down net interval", n=_NUMBER, up=_NUMBER, down=_NUMBER, net=_NUMBER,
                    interval=_interval())
    return {"anyOf": [{"type": "null"}, found]}


def _extreme() -> dict[str, Any]:
    cells = _object("tp fn fp tn", **dict.fromkeys(("tp", "fn", "fp", "tn"), _NUMBER))
    of_cells = _object("value cells", value=_NUMBER, cells=cells)
    return {"anyOf": [_fraction(), of_cells]}


def _fraction() -> dict[str, Any]:
    number = {"type": "number"}
    return _object("value numerator denominator", value=number, numerator=number,
                   denominator=number)


def _curve() -> dict[str, Any]:
    return _object(
        "id dataset model subgroup label kind points",
        id=_TEXT, dataset=_TEXT, model=_TEXT, subgroup=_GROUP, label=_TEXT_OR_NULL, kind=_TEXT,
        points={"type": "object", "additionalProperties": {"type": "array"}},
        thinned={"type": "boolean", "description": "Fewer points than distinct scores."},
    )


def _impact() -> dict[str, Any]:
    count = {"type": "number", "minimum": 0}
    rates = _object("selection_rate impact_ratio", selection_rate=_NUMBER_OR_NULL,
                    impact_ratio=_NUMBER_OR_NULL)
    bounds = _object("unknown not_selected selected", unknown=count, not_selected=rates,
                     selected=rates)
    flag = {"type": ["boolean", "null"]}
    category = _object(
        "subgroup n rows selected share_of_rows selection_rate impact_ratio interval "
        "below_four_fifths under_two_percent bounds reason table",
        subgroup=_GROUP, n=count, rows=count, selected=count, share_of_rows=_NUMBER_OR_NULL,
        selection_rate=_NUMBER_OR_NULL, impact_ratio=_NUMBER_OR_NULL, interval=_interval(),
        unknown={"type": "boolean"}, highest={"type": "boolean"},
        against_subgroup={"anyOf": [{"type": "null"}, _GROUP]},
        highest_fraction={"type": ["array", "null"], "items": count,
                          "description": "Selected and total of the highest rate."},
        test=_TEXT_OR_NULL, p_value=_NUMBER_OR_NULL, below_four_fifths=flag, small=flag,
        under_two_percent={"type": "boolean"}, reason=_TEXT_OR_NULL, table=_TEXT_OR_NULL,
        bounds={"anyOf": [{"type": "null"}, bounds],
                "description": "If all rows of unknown category were of this one."},
    )
    return _object(
        "dataset model columns kind label threshold threshold_rule median smallest_share unknown "
        "categories reason",
        dataset=_TEXT, model=_TEXT, columns={"type": "array", "items": _TEXT},
        kind={"enum": ["selection", "scoring"],
              "description": "Selected: predicted positive, or scored strictly above the median."},
        label=_TEXT_OR_NULL, threshold=_NUMBER_OR_NULL, threshold_rule=_TEXT_OR_NULL,
        median=_NUMBER_OR_NULL, smallest_share={"type": "number"}, unknown=count,
        categories=_list(category, "Every category, the unknown ones among them."),
        reason=_TEXT_OR_NULL, interval_reason=_TEXT,
    )


def _comparison() -> dict[str, Any]:
    return _object(
        "dataset subgroup fold threshold metric params average label model reference difference "
        "interval test statistic p_value p_adjusted correction",
        dataset=_TEXT, subgroup=_GROUP, fold=_TEXT_OR_NULL, threshold=_NUMBER_OR_NULL,
        metric=_TEXT, params={"type": "object"}, average=_TEXT_OR_NULL, label=_TEXT_OR_NULL,
        model=_TEXT, difference=_NUMBER_OR_NULL, interval=_interval(), test=_TEXT_OR_NULL,
        statistic=_NUMBER_OR_NULL, p_value=_NUMBER_OR_NULL, p_adjusted=_NUMBER_OR_NULL,
        correction=_TEXT,
    )


def _acceptance() -> dict[str, Any]:
    return _object(
        "criterion measure bound required observed outcome reason",
        measure=_TEXT_OR_NULL, bound={"enum": ["point", "lower", "upper"]},
        required=_NUMBER_OR_NULL, observed=_NUMBER_OR_NULL,
        outcome={"enum": ["pass", "fail", "not_evaluated"]}, reason=_TEXT_OR_NULL, text=_TEXT,
    )


def _declared() -> dict[str, Any]:
    return _object(
        "declared metric dataset model subgroup measure value source measured interval "
        "difference within reason",
        dataset=_TEXT, model=_TEXT, subgroup=_GROUP, metric=_TEXT, measure=_TEXT_OR_NULL,
        value={"type": "number"}, source=_TEXT, measured=_NUMBER_OR_NULL, interval=_interval(),
        difference=_NUMBER_OR_NULL, within={"type": ["boolean", "null"]}, reason=_TEXT_OR_NULL,
    )


def _drift() -> dict[str, Any]:
    number = {"type": "number"}
    bins = _object(
        "reference rows", reference=number, rows=number, name=_TEXT, above=_NUMBER_OR_NULL,
        to=_NUMBER_OR_NULL,
    )
    return _object(
        "dataset reference of model label column kind bins psi psi_p_value psi_expected psi_reason "
        "ks test statistic p_value reason",
        dataset=_TEXT, reference=_TEXT, of={"enum": ["labels", "scores", "column"]},
        model=_TEXT_OR_NULL, label=_TEXT_OR_NULL, column=_TEXT_OR_NULL,
        kind={"enum": ["numbers", "categories"]},
        bins=_list(bins, "Rows of the reference and of the dataset; above < value <= to."),
        psi=_NUMBER_OR_NULL, psi_p_value=_NUMBER_OR_NULL, psi_expected=_NUMBER_OR_NULL,
        psi_reason=_TEXT_OR_NULL, ks=_NUMBER_OR_NULL, test=_TEXT_OR_NULL,
        statistic=_NUMBER_OR_NULL, p_value=_NUMBER_OR_NULL, reason=_TEXT_OR_NULL,
    )


def _against() -> dict[str, Any]:
    return _object(
        "dataset model baseline previous metric title params average label measure value "
        "baseline_value difference interval goal outcome reason",
        dataset=_TEXT, model=_TEXT, baseline=_TEXT, previous=_TEXT_OR_NULL, metric=_TEXT,
        title=_TEXT, params={"type": "object"}, average=_TEXT_OR_NULL, label=_TEXT_OR_NULL,
        measure=_TEXT, value={"type": "number"}, baseline_value={"type": "number"},
        difference={**_NUMBER_OR_NULL, "description": "Model minus previous model."},
        interval=_interval(), goal={"enum": ["maximize", "minimize"]},
        outcome={
            "enum": ["better", "worse", "not_shown", "not_judged"],
            "description": "On which side of the baseline the interval lies: of the value, or "
            "of the difference from the previous model.",
        },
        reason={**_TEXT_OR_NULL, "description": "Why it is not judged."},
    )


def _caution() -> dict[str, Any]:
    return _object(
        "code severity message dataset model measure table",
        code=_TEXT, severity={"enum": ["note", "warning"]}, message=_TEXT,
        dataset=_TEXT_OR_NULL, model=_TEXT_OR_NULL, measure=_TEXT_OR_NULL, table=_TEXT_OR_NULL,
    )
