"""Names that refer to other parts of a spec, told even where those have other mistakes."""

from __future__ import annotations

import pytest

BASE = """\
evalreport: 1
datasets:
  holdout: {path: h.csv, target: y, labels: [a, b], indeterminate: [c]}
  baseline: {path: b.csv, target: y, labels: [a, b]}
models:
  logistic: {score: p, datasets: [holdout]}
  rule: {prediction: q}
metrics: [recall]
thresholds: [0.5, {maximize: youden_j}]
subgroups: [sex, [sex, site]]
"""
# What follows stands on line 11.
CASES = [
    (
        "comparisons: {reference: logistik}",
        "11:26: there is no model 'logistik'; did you mean 'logistic'?",
    ),
    (
        "comparisons: {reference: baseline}",
        "11:26: there is no model 'baseline'; {dataset: baseline}",
    ),
    (
        "comparisons: {reference: {dataset: basline}}",
        "11:36: there is no dataset 'basline'; did you mean 'baseline'?",
    ),
    (
        "drift: {reference: holdout}",
        (
            "11:20: drift is against a dataset or run, not 'holdout'; {dataset: holdout}, "
            "or {run: folder}"
        ),
    ),
    (
        "drift: {reference: {dataset: x}}",
        "11:30: there is no dataset 'x'; datasets are: baseline, holdout",
    ),
    (
        "acceptance: [{metric: recall, at_least: 0.9, dataset: holdut}]",
        "11:55: there is no dataset 'holdut'; did you mean 'holdout'?",
    ),
    (
        "acceptance: [{metric: recall, at_least: 0.9, model: rul}]",
        "11:53: there is no model 'rul'; did you mean 'rule'?",
    ),
    (
        "acceptance: [{metric: recall, at_least: 0.9, model: logistic, dataset: baseline}]",
        (
            "11:72: model 'logistic' is not evaluated on 'baseline'; one of its datasets: "
            "holdout"
        ),
    ),
    (
        "acceptance: [{metric: recall, at_least: 0.9, threshold: 0.7}]",
        (
            "11:57: the spec has no threshold 0.7; one of 0.5, maximize youden_j; or add it "
            "to thresholds"
        ),
    ),
    (
        "acceptance: [{metric: recall, at_least: 0.9, threshold: maximize f1}]",
        (
            "11:57: the spec has no threshold maximize f1; one of 0.5, maximize youden_j; "
            "or add it to thresholds"
        ),
    ),
    (
        "acceptance: [{metric: recall, at_least: 0.9, subgroup: {site: A}}]",
        "11:56: 'site' is not among the subgroups; subgroups are: sex, sex x site",
    ),
    (
        "acceptance: [{metric: recall, at_least: 0.9, subgroup: every}]",
        "11:56: subgroup is 'every'; choices are: each",
    ),
    (
        "acceptance: [{metric: recall, at_least: 0.9, label: z}]",
        "11:53: there is no label 'z'; labels are: a, b",
    ),
    (
        "acceptance: [{metric: recall, reference: m}]",
        "11:42: there is no model 'm'; models are: logistic, rule",
    ),
    (
        "declared: [{metric: recall, value: 0.9, source: s, dataset: x}]",
        "11:61: there is no dataset 'x'; datasets are: baseline, holdout",
    ),
    ("positive: {label: bb}", "11:19: there is no label 'bb'; did you mean 'b'?"),
    ("report: {template: standrd}", "11:20: no such template: 'standrd'; did you mean 'standard'?"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "expected"), CASES, ids=[line for line, _ in CASES])
def test_an_unknown_name(mistakes, line, expected):
    assert mistakes(BASE + line + "\n", whole=True) == [expected]


@pytest.mark.parametrize(
    "line",
    [
        "acceptance: [{metric: recall, at_least: 0.9, threshold: 0.50}]",
        "acceptance: [{metric: recall, at_least: 0.9, threshold: {maximize: youden_j}}]",
        "acceptance: [{metric: recall, at_least: 0.9, threshold: maximize youden_j}]",
        "acceptance: [{metric: recall, at_least: 0.9, subgroup: {site: A, sex: F}}]",
        "acceptance: [{metric: recall, at_least: 0.9, subgroup: each, label: a}]",
        "acceptance: [{metric: recall, reference: {dataset: baseline}, margin: 0.02}]",
        "positive: {label: a}",
    ],
)
def test_a_known_name(line):
    from evalreport.spec.load import parse_spec

    assert parse_spec(BASE + line + "\n").spec.title == "Classifier evaluation"


def test_names_are_checked_although_other_keys_there_are_wrong(mistakes):
    text = BASE + (
        "acceptance: [{metric: recal, at_leest: 0.9, dataset: x, model: y, bound: low}]\n"
        "comparisons: {reference: z, correction: hlm}\n"
        "report: {formats: [htm], template: nowhere}\n"
    )
    assert mistakes(text, whole=True) == [
        "11:23: unknown metric 'recal'; did you mean 'recall'?",
        "11:30: unknown key 'at_leest'; did you mean 'at_least'?",
        "11:54: there is no dataset 'x'; datasets are: baseline, holdout",
        "11:64: there is no model 'y'; models are: logistic, rule",
        "11:74: bound is 'low'; did you mean 'lower'?",
        "12:26: there is no model 'z'; models are: logistic, rule",
        "12:41: correction is 'hlm'; did you mean 'holm'?",
        "13:20: item 1 of formats is 'htm'; did you mean 'html'?",
        (
            "13:36: no such template: 'nowhere'; templates are: "
            "audit, clinical, minimal, model_card, quick, standard"
        ),
    ]


def test_names_in_datasets_models_and_thresholds(mistakes):
    text = """\
    evalreport: 1
    datasets:
      d: {path: d.csv, target: y, labels: [a, b], indeterminate: [b], positive: {label: c}}
    models:
      m: {score: p, datasets: [e]}
      f: {estimator: sklearn.tree.DecisionTreeClassifier}
    metrics: [f1]
    thresholds: [{maximize: f1, on: e}]
    """
    assert mistakes(text, whole=True) == [
        "3:63: 'b' is declared as a class and as indeterminate; keep one",
        "3:85: there is no label 'c'; labels are: a, b",
        "5:28: there is no dataset 'e'; datasets are: d",
        (
            "6:7: f has to be trained, and the spec declares no cross_validation; "
            "cross_validation: {scheme: stratified_k_fold, folds: 10, seed: 0}, "
            "or fit_on: the dataset it is trained on"
        ),
        "8:33: there is no dataset 'e'; datasets are: d",
    ]


@pytest.mark.parametrize(
    ("scheme", "expected"),
    [
        ("column", "5:28: scheme column needs the folds of d; fold: a column, in the dataset"),
        ("group_k_fold", ("5:28: scheme group_k_fold needs the groups of d; "
                         "group or cluster: a column, in the dataset")),
    ],
)  # fmt: skip
def test_a_scheme_needs_its_column(mistakes, scheme, expected):
    text = f"""\
    evalreport: 1
    datasets: {{d: {{path: d.csv, target: y}}}}
    models: {{f: {{estimator: sklearn.tree.DecisionTreeClassifier}}}}
    metrics: [f1]
    cross_validation: {{scheme: {scheme}}}
    """
    assert mistakes(text, whole=True) == [expected]


def test_a_template_folder_has_to_exist(tmp_path):
    from evalreport.errors import SpecError
    from evalreport.spec.load import load_spec

    text = BASE + "report: {template: ./mine}\n"
    path = tmp_path / "s.yaml"
    path.write_text(text)
    with pytest.raises(SpecError, match=r"11:20: no such template: '\./mine'"):
        load_spec(path)
    (tmp_path / "mine").mkdir()
    assert load_spec(path).spec.report.template == "./mine"


def test_remarks_that_stop_nothing(load):
    loaded = load(
        "cross_validation: {folds: 5}\nconfidence: {methods: {recall: wald}}\n"
        "comparisons: {reference: m}\n"
    )
    assert [str(note).removeprefix("s.yaml:") for note in loaded.notes] == [
        "8:1: cross_validation has no effect: no model is trained",
        "9:23: a method for recall, which is not requested",
        "10:26: there is no other model to compare with the reference",
    ]
    loaded = load("comparisons: {reference: m, margins: {f1: 0.1}}\n")
    assert [str(note).removeprefix("s.yaml:8:") for note in loaded.notes] == [
        "38: margins names f1, which is not requested",
        "26: there is no other model to compare with the reference",
    ]


def test_criteria_that_a_worse_model_would_pass_are_questioned(load):
    loaded = load(
        "acceptance:\n  - {metric: recall, at_most: 0.9}\n"
        "  - {metric: recall, at_least: 0.9, bound: upper}\n"
        "  - {metric: brier, at_most: 0.1, bound: lower}\n"
        "  - {metric: recall, at_most: 0.99, deliberate: true}\n"
        "  - {metric: brier, at_least: 0.01, deliberate: true}\n"
        "  - {metric: brier, at_most: 0.1, bound: upper}\n"
        "  - {metric: prevalence, at_most: 0.1}\n"
    )
    told = [str(note).removeprefix("s.yaml:") for note in loaded.notes]
    easier = (
        "limit is the easier one to pass with: the fewer rows, the wider the interval, the sooner "
        "it passes; bound:"
    )
    assert told == [
        (
            "9:22: of recall larger is better, and at_most asks for a small one; at_least: 0.9; "
            "or deliberate: true, if the worse side is meant"
        ),
        f"10:44: the upper {easier} lower; or deliberate: true, if it is meant",
        f"11:42: the lower {easier} upper; or deliberate: true, if it is meant",
    ]
