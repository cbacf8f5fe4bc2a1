"""Every mistake with its line and column, what was found and what would be right."""

from __future__ import annotations

import pytest

# The minimal spec has seven lines, so what is added starts on line 8.
ONE_LINE = [
    # unknown keys point at the key
    ("treshold: [0.9]", ["8:1: unknown key 'treshold'; did you mean 'thresholds'?"]),
    ("metrics_: [roc_auc]", ["8:1: unknown key 'metrics_'; did you mean 'metrics'?"]),
    ("confidence: {levle: 0.9}", ["8:14: unknown key 'levle'; did you mean 'level'?"]),
    ("costs: {false_negatve: 5}", [
        "8:9: unknown key 'false_negatve'; did you mean 'false_negative'?"]),
    ("positive: {lable: x}", [
        ("8:1: label is missing in positive; "
        "label: the positive class, exactly as written in the data"),
        "8:12: unknown key 'lable'; did you mean 'label'?",
    ]),
    # keys of another part
    ("cluster: person", [
        "8:1: unknown key 'cluster'; it belongs elsewhere: datasets: {NAME: {cluster: ...}}"]),
    ("report: {subgroups: [sex]}", [
        "8:10: unknown key 'subgroups'; it belongs elsewhere: subgroups: ..."]),
    # a value that no threshold reaches
    ("thresholds: [{at_least: {recall: 95}}]", [
        "8:34: recall is never 95; a value from 0 to 1: 0.95"]),
    ("report: {language: deutsche sprache}", [
        ("8:20: language is 'deutsche sprache'; language: the language of titles and names as a "
        "BCP 47 tag such as de or pt-BR")]),
    ("comparisons: {reference: {dataset: d}}", [
        "8:36: there is no other dataset to compare with d; a second dataset, or a model"]),
    ("thresholds: [{maximize: distance_to_corner}]", [
        ("8:25: maximize is distance_to_corner, which is least at the best threshold; "
        "minimize: distance_to_corner")]),
    ("thresholds: [{at_most: {fbeta: {beta: 2, value: -1}}}]", [
        "8:49: fbeta is never -1; a value from 0 to 1"]),
    # confidence
    ("confidence: {level: 1.5, resamples: 0}", [
        "8:21: level is 1.5; a number below 1",
        "8:37: resamples is 0; a number at least 1",
    ]),
    ("confidence: {level: 0, seed: -1}", [
        "8:21: level is 0; a number above 0",
        "8:30: seed is -1; a number at least 0",
    ]),
    ("confidence: {level: 95%, seed: 9223372036854775808}", [
        "8:21: level is '95%'; a share: 0.95",
        "8:32: seed is 9223372036854775808; a number below 9223372036854775808",
    ]),
    ("confidence: {level: '0.95', stratify: yes}", [
        "8:21: level is '0.95'; a number, without quotes: 0.95",
        "8:39: stratify is 'yes' where true or false is expected",
    ]),
    ("confidence: {level: 0,95}", [("8:23: unknown key '95'; a number with a "
                                   "decimal point: level: 0.95"),
                                   "8:21: level is 0; a number above 0"]),
    ("confidence: {methods: {acuracy: wilson, recall: wilsn, roc_auc: wilson}}", [
        "8:24: unknown metric 'acuracy'; did you mean 'accuracy'?",
        "8:49: recall has no interval method 'wilsn'; did you mean 'wilson'?",
        ("8:65: roc_auc has no interval method 'wilson'; those of roc_auc are: "
        "bootstrap_bca, bootstrap_percentile, classical, cluster_bootstrap, delong, delong_logit, "
        "delong_score, hanley_mcneil, obuchowski, obuchowski_score, sandwich, sandwich_score, "
        "survey_bootstrap"),
    ]),
    ("confidence: {methods: {recall: wald, sensitivity: wilson}}", [
        "8:38: sensitivity is recall, which is set already; keep one of them",
    ]),
    ("confidence: {methods: {recall: cluster_robust_t, roc_auc: classical}}", [
        ("8:32: cluster_robust_t gives no limits of recall of independent rows; one of wilson, "
         "clopper_pearson, agresti_coull, jeffreys, wald, wilson_cc, wald_cc, mid_p, "
         "likelihood_ratio, logit, sandwich, bootstrap_percentile, bootstrap_bca, classical"),
    ]),
    ("acceptance: [{metric: recall, average: macro, at_least: 0.5, bound: lower, method: mid_p}]", [
        ("8:84: macro recall has no interval method 'mid_p'; those of macro recall are: "
         "bootstrap_bca, bootstrap_percentile, classical, cluster_bootstrap, cluster_robust, "
         "cluster_robust_t, delta, delta_t, mover_clusters, mover_jeffreys, mover_weighted, "
         "newcombe_hybrid, sandwich, sandwich_t, survey_bootstrap"),
    ]),
    (("acceptance: [{metric: f1, average: macro, at_least: 0.5, bound: lower, "
     "method: cluster_robust}]"), [
        ("8:80: cluster_robust gives no limits of macro f1 of independent rows; one of delta_t, "
         "delta, sandwich, bootstrap_percentile, bootstrap_bca, classical"),
    ]),
    ("confidence: {methods: clasical}", [
        "8:23: methods is 'clasical'; did you mean 'classical'?",
    ]),
    # thresholds
    ("thresholds: []", ["8:13: thresholds is empty; at least one"]),
    ("thresholds: 0.5", ["8:13: thresholds is 0.5; a list: [0.5]"]),
    ("thresholds: [.inf, .nan]", [
        "8:14: item 1 of thresholds is .inf where a finite number is expected",
        "8:20: item 2 of thresholds is .nan where a finite number is expected",
    ]),
    ("thresholds: [half, {maximise: youden_j}]", [
        "8:14: item 1 of thresholds is 'half'; a number, or a rule such as {maximize: youden_j}",
        "8:21: unknown key 'maximise'; did you mean 'maximize'?",
    ]),
    ("thresholds: [{maximize: roc_auc}, {maximize: ks}]", [
        ("8:25: roc_auc does not change with the threshold; a metric of a table, such as "
        "youden_j or f1"),
        ("8:46: ks does not change with the threshold; youden_j: its largest value is the KS "
        "statistic"),
    ]),
    ("thresholds: [{at_least: {recal: 0.9}}, {at_least: {recall: high}}]", [
        "8:26: unknown metric 'recal'; did you mean 'recall'?",
        "8:60: recall is to reach 'high' where a number is expected",
    ]),
    ("thresholds: [{maximize: f1, minimize: fpr}, {on: d}, {value: 0.5, on: d}]", [
        ("8:29: a threshold with maximize and minimize; one rule; at_least or at_most may have "
        "maximize or minimize beside it"),
        ("8:45: a threshold without a rule; one of value, maximize, minimize, at_least, "
        "at_most, top"),
        "8:67: 'on' beside a number; remove it",
    ]),
    ("thresholds: [{top: 0}, {top: 1.5}]", [
        "8:20: top is 0; at least 1 row, or a share above 0 and at most 1.0",
        "8:30: top is 1.5; a share above 0 and at most 1.0, or a whole number of rows",
    ]),
    ("thresholds: [{at_least: {fbeta: {beta: 2}}}]", [
        "8:26: fbeta has no value to reach; value: 0.9 beside its parameters",
    ]),
    ("thresholds: [{at_least: {fbeta: {beta: 2, value: ~}}}, {at_least: recall}]", [
        "8:50: fbeta is to reach ~ where a number is expected",
        "8:67: at_least is 'recall'; one metric and its value, such as {recall: 0.95}",
    ]),
    # metrics and their parameters
    ("declared: [{metric: {fbeta: {bata: 2, beta: 0}}, value: 1, source: s}]", [
        "8:30: unknown parameter 'bata' of fbeta; did you mean 'beta'?",
        "8:45: beta is 0; a number above 0 and at most 1e+06",
    ]),
    ("declared: [{metric: recall, value: 90, source: s}]", [
        "8:36: recall is never 90; a value from 0 to 1: 0.9"]),
    ("declared: [{metric: recall, value: 1.3, source: s}]", [
        "8:36: recall is never 1.3; a value from 0 to 1"]),
    ("declared: [{metric: {f1: 2}, value: 1, source: s}]", [
        "8:26: parameters of f1 are 2; a mapping, such as {f1: {name: value}}",
    ]),
    ("declared: [{metric: [f1], value: 1, source: s}]", [
        "8:21: metric is a list; the name of a metric, or {name: {parameter: value}}",
    ]),
    ("declared: [{metric: partial_auc, value: 1, source: s}]", [
        "8:21: partial_auc needs exactly one of max_fpr, min_tpr; {partial_auc: {max_fpr: ...}}",
    ]),
    ("declared: [{metric: expected_cost, value: 1, source: s}]", [
        "8:21: expected_cost needs costs; costs: {false_negative: 5, false_positive: 1}",
    ]),
    ("declared: [{metric: hierarchical_loss, value: 1, source: s}]", [
        "8:21: hierarchical_loss needs hierarchy; hierarchy: {child: parent}",
    ]),
    ("declared: [{metric: ppv_at_prevalence, value: 1, source: s}]", [
        ("8:21: ppv_at_prevalence needs a prevalence; {ppv_at_prevalence: {prevalence: 0.01}}, "
        "or prevalence: [0.01] for the spec"),
    ]),
    # averages, subgroups, costs, prevalence, hierarchy
    ("averaging: macro", ["8:12: averaging is 'macro'; a list: ['macro']"]),
    ("averaging: [macros]", ["8:13: item 1 of averaging is 'macros'; did you mean 'macro'?"]),
    ("subgroups: [sex, [sex, sex], {a: b}, [], '']", [
        "8:18: a column is crossed with itself; each column once",
        (
            "8:30: item 3 of subgroups is a mapping; a column, {column: age, bins: [40, 60]}, "
            "or a list of columns to be crossed"
        ),
        "8:38: item 4 of subgroups is empty; at least one",
        "8:42: item 1 of item 5 of subgroups is empty; some text",
    ]),
    ("cautions: {off: {'': reason}}", ["8:18: a key of off is empty; some text"]),
    ("hierarchy: {'': a}", ["8:13: a key of hierarchy is empty; some text"]),
    ("hierarchy: {a: {b: c}}", ["8:16: a is a mapping where a text is expected"]),
    ("series: [x]", ["8:9: series is a list where a text is expected"]),
    ("confidence: {resamples: many}", [
        "8:25: resamples is 'many' where a whole number is expected",
    ]),
    ("about: {a: [x, {b: ~}]}", ["8:20: b is ~; quote it if it is meant as text"]),
    ("prevalence: [.nan, [1], half, '0,5']", [
        "8:14: item 1 of prevalence is .nan where a finite number is expected",
        "8:20: item 2 of prevalence is a list where a number is expected",
        "8:25: item 3 of prevalence is 'half' where a number is expected",
        "8:31: item 4 of prevalence is '0,5'; a number with a decimal point: 0.5",
    ]),
    ("learning_curve: {sizes: [" + "1.0, " * 100 + "0.5]}", [
        "8:25: sizes has 101; at most 100",
    ]),
    ("declared: [{metric: {f1: {}, f2: {}}, value: 1, source: s}]", [
        "8:21: a metric with 2 keys; one metric each: a name, or {name: {parameter: value}}",
    ]),
    ("costs: 5", [("8:8: costs is 5; {false_negative: 5, false_positive: 1}, or "
                  "{actual: {predicted: cost}}")]),
    ("costs: {a: {b: x}}", ["8:16: b is 'x' where a number is expected"]),
    ("costs: {false_negative: 5, a: {b: 1}}", [
        ("8:9: 'false_negative' is not a mapping like 'a'; costs of two kinds of mistake, or "
        "{predicted: cost} for each actual class"),
    ]),
    ("prevalence: [0, 1]", [
        "8:14: item 1 of prevalence is 0; a number above 0",
        "8:17: item 2 of prevalence is 1; a number below 1",
    ]),
    ("hierarchy: {a: b, b: c, c: a}", ["8:16: 'a' is its own ancestor; a tree of labels"]),
    # labels that would be read as something else
    ("positive: {label: ~}", ["8:19: label is ~; quote it if it is meant as text"]),
    ("positive: {label: null}", ["8:19: label is null; quote it if it is meant as text"]),
    ("positive: {label: 007}", ["8:19: 007 is a number with leading zeros; quote it: '007'"]),
    ("positive: {label: 1_000}", ["8:19: 1_000 is a number with an underscore; quote it: '1_000'"]),
    ("positive: {label: 12:30}", ["8:19: 12:30 is digits with a colon; quote it: '12:30'"]),
    ("about: {question: }", ["8:19: question is empty; quote it if it is meant as text"]),
    # comparisons
    ("comparisons: {correction: hlm}", [
        ("8:1: reference is missing in comparisons; reference: a model, {dataset: name} (the same "
        "model there) or {run: folder}"),
        "8:27: correction is 'hlm'; did you mean 'holm'?",
    ]),
    ("comparisons: {margins: {recall: 0.02}}", [
        ("8:1: reference is missing in comparisons; reference: a model, {dataset: name} (the same "
        "model there) or {run: folder}"),
    ]),
    ("comparisons: {reference: m, tests: {accuracy: mcnemr}, margins: {recall: 0}}", [
        "8:47: accuracy has no test 'mcnemr'; did you mean 'mcnemar'?",
        "8:74: recall is 0; a number above 0",
    ]),
    ("comparisons: {reference: m, methods: {brier: newcombe}}", [
        ("8:46: brier has no interval method 'newcombe'; those of brier are: "
        "bootstrap_percentile, paired_t, satterthwaite_t, welch_t"),
    ]),
    # acceptance
    ("acceptance: [{metric: recal, at_least: 0.9}]", [
        "8:23: unknown metric 'recal'; did you mean 'recall'?",
    ]),
    ("acceptance: [{metric: recall}]", [
        "8:14: the criterion asks for nothing; at_least or at_most: a value",
    ]),
    ("acceptance: [{metric: recall, at_least: 90}]", [
        "8:41: recall is never 90; a value from 0 to 1: 0.9",
    ]),
    ("acceptance: [{metric: recall, margin: 0.1}]", [
        "8:31: a margin with no reference; reference: the model, dataset or run",
    ]),
    ("acceptance: [{metric: recall, at_least: 0.9, margin: 0.1}]", [
        "8:46: a margin with no reference; remove it",
    ]),
    ("acceptance: [{metric: recall, at_least: 0.9, at_most: 1}]", [
        "8:46: the criterion has at_least and at_most; one each; write two criteria",
    ]),
    ("acceptance: [{metric: mcc, at_least: 0.5, average: macro}]", [
        ("8:52: mcc has no macro average: it is one figure for all classes; "
        "remove it or choose another"),
    ]),
    ("acceptance: [{metric: accuracy_p_value, at_most: 0.05, bound: upper}]", [
        "8:63: accuracy_p_value has no interval; bound: point",
    ]),
    ("acceptance: [{metric: brier, at_least: 0.3}]", [
        ("8:30: of brier smaller is better, and at_least asks for a large one; "
        "at_most: 0.3; or deliberate: true, if the worse side is meant"),
    ]),
    ("acceptance: [{metric: fpr, at_least: 0.3, deliberate: maybe}]", [
        "8:55: deliberate is 'maybe' where true or false is expected",
    ]),
    # report, cross-validation, engine
    ("report: {formats: [htlm], page_size: a5}", [
        "8:20: item 1 of formats is 'htlm'; did you mean 'html'?",
        "8:38: page_size is 'a5'; choices are: a4, letter",
    ]),
    ("cross_validation: {scheme: kfold}", ["8:28: scheme is 'kfold'; did you mean 'k_fold'?"]),
    ("cross_validation: {scheme: leave_one_out, folds: 3}", [
        "8:43: leave_one_out has no folds; remove it",
    ]),
    ("cross_validation: {folds: 1, repeats: 0}", [
        "8:27: folds is 1; a number at least 2",
        "8:39: repeats is 0; a number at least 1",
    ]),
    ("cross_validation: [1]", [
        ("8:19: cross_validation is a list; a mapping: "
        "{scheme: stratified_k_fold, folds: 5, seed: 0}"),
    ]),
    ("learning_curve: {sizes: [0.0, 2.5]}", [
        "8:26: item 1 of sizes is 0.0; a share above 0 and at most 1.0, or a whole number of rows",
        "8:31: item 2 of sizes is 2.5; a share above 0 and at most 1.0, or a whole number of rows",
    ]),
    ("engine: {name: spark}", [
        "8:16: the engine spark needs the address of a cluster; spark: {url: sc://host:port}",
    ]),
    ("engine: {memory_limit: 4}", [
        "8:24: memory_limit is '4'; memory_limit: the most memory that is used, e.g. 4GB",
    ]),
    ("cautions: {off: {imbalance: ''}}", ["8:29: imbalance is empty; some text"]),
]  # fmt: skip


@pytest.mark.parametrize(("line", "expected"), ONE_LINE, ids=[line for line, _ in ONE_LINE])
def test_a_mistake_has_its_place_and_its_remedy(mistakes, line, expected):
    assert mistakes(line) == sorted(expected, key=_place)


def _place(text: str) -> tuple[int, int]:
    line, column, _ = text.split(":", 2)
    return int(line), int(column)


def test_mistakes_of_datasets_and_models_all_at_once(mistakes):
    text = """\
    evalreport: 1
    datasets:
      web: {path: "https://example.org/d.csv", target: y}
      text: {path: d.txt, target: ~}
      none: {}
      odd: {path: d.csv, target: y, labels: [a, a, null], mising: exclude, missing: exlude}
      hash: {path: d.csv, target: y, sha256: abc, types: {a: txt}, labels: [], sql: 1}
    models:
      two: {score: p, margin: q}
      none: {}
      odd: {scroe: p}
      list: [p]
      one_class: {scores: {a: p}}
      line: {linear: {bias: x, weights: {}}}
      saved: {skops: m.skops}
      steps: {history: {path: h.csv, step: epoch}}
    metrics: []
    """
    assert mistakes(text, whole=True) == [
        "3:15: 'https://example.org/d.csv' is a URL; a file on this machine",
        (
            "4:16: 'd.txt': unknown suffix, so the format is not known; "
            "a file ending in .csv, .tsv, .jsonl (each also with .gz), .parquet or .xlsx, "
            "or a folder ending in /"
        ),
        "4:31: target is ~; quote it if it is meant as text",
        (
            "5:3: target is missing in none; target: column with the true label; "
            "{labels: {a: column_a}} or {list: column} for sets of labels"
        ),
        (
            "5:3: path is missing in none; path: a csv, tsv, jsonl or parquet file; "
            "or table: {labels: [...], counts: [...]}"
        ),
        "6:48: item 3 of labels is null; quote it if it is meant as text",
        "6:55: unknown key 'mising'; did you mean 'missing'?",
        "6:81: missing is 'exlude'; did you mean 'exclude'?",
        (
            "7:42: sha256 is 'abc'; sha256: the hash that the file, or the rows of a Postgres "
            "query, must have"
        ),
        "7:58: a is 'txt'; did you mean 'text'?",
        "7:72: labels is empty; at least one",
        (
            "7:76: unknown key 'sql'; keys here are: benchmark, cluster, count, fold, group, id, "
            "indeterminate, join, keep_rows, labels, map, missing, path, period, positive, read, "
            "readers, sampling, sha256, table, ... (25 in all)"
        ),
        "9:19: the model has both score and margin; keep one",
        (
            "10:9: the model has no source; one of score, prediction, scores, margin, linear, "
            "estimator, skops, onnx, history"
        ),
        "11:9: unknown key 'scroe'; did you mean 'score'?",
        "12:9: list is a list; a mapping, such as {score: column} or {prediction: column}",
        "13:23: scores has 1; at least 2",
        "14:25: bias is 'x' where a number is expected",
        "14:37: weights is empty; at least one",
        "15:3: features is missing in saved; features: the columns it takes, in its order",
        "16:20: a history with nothing to judge; one of score, margin, prediction and weights",
        "17:10: metrics is empty; at least one",
    ]


def test_a_label_listed_twice(mistakes):
    text = """\
    evalreport: 1
    datasets: {d: {path: d.csv, target: y, labels: [1, "1", 1.0]}}
    models: {m: {score: p}}
    metrics: [f1]
    """
    assert mistakes(text, whole=True) == ["2:52: '1' is listed twice; keep one"]


def test_what_is_missing_is_said_with_its_meaning(mistakes):
    assert mistakes("title: t\n", whole=True) == [
        "1:1: evalreport is missing; evalreport: the version of the spec language: 1",
        "1:1: datasets is missing; datasets: the rows that are evaluated, by name",
        "1:1: models is missing; models: where predictions come from, by name",
        "1:1: metrics is missing; metrics: what is measured: names, or {name: {parameter: value}}",
    ]


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("2", ("1:13: this spec is written in version 2 of the spec language; "
              "this program knows version 1; install a newer evalreport")),
        ("1.1", ("1:13: this spec is written in version 1.1 of the spec language; "
                "this program knows version 1; install a newer evalreport")),
    ],
)  # fmt: skip
def test_a_newer_version_is_named_and_nothing_else_is_judged(mistakes, version, expected):
    assert mistakes(f"evalreport: {version}\nnew_key: 5\n", whole=True) == [expected]


def test_an_older_version_is_no_version(mistakes):
    text = "evalreport: 0\ndatasets: {d: {path: d.csv, target: y}}\n"
    text += "models: {m: {score: p}}\nmetrics: [f1]\n"
    assert mistakes(text, whole=True) == [
        "1:13: version 0 of the spec language is not known; 1",
    ]


@pytest.mark.parametrize(
    ("estimator", "expected"),
    [
        ("sklearn.ensemble.RandomForestClasifier",
         "did you mean 'sklearn.ensemble.RandomForestClassifier'?"),
        ("RandomForestClassifier", "did you mean 'sklearn.ensemble.RandomForestClassifier'?"),
        ("sklearn.tree.RandomForestClassifier",
         "did you mean 'sklearn.ensemble.RandomForestClassifier'?"),
        ("sklearn.linear_model.Ridge", "is not a classifier of scikit-learn"),
        ("os.system", "--allow-import os admits"),
        ("lightgbm.LGBMClassifier", "--allow-import lightgbm admits"),
        ("sklearn.__builtins__.eval", "is not a path of a class"),
        ("__import__('os').system('id')", "is not a path of a class"),
        ("'lambda: 0'", "is not a path of a class"),
        ("sklearn..tree", "is not a path of a class"),
    ],
)  # fmt: skip
def test_an_estimator_is_looked_up_and_never_imported(mistakes, estimator, expected):
    import sys

    text = f"""\
    evalreport: 1
    datasets: {{d: {{path: d.csv, target: y}}}}
    models: {{m: {{estimator: {estimator}}}}}
    metrics: [f1]
    cross_validation: {{folds: 5}}
    """
    before = set(sys.modules)
    (found,) = mistakes(text, whole=True)
    assert found.startswith("3:25: ")
    assert expected in found
    assert not {name for name in set(sys.modules) - before if name.startswith(("sklearn", "light"))}


def test_a_package_may_be_admitted(load):
    from evalreport.spec.load import parse_spec

    text = (
        "evalreport: 1\ndatasets: {d: {path: d.csv, target: y}}\ncross_validation: {}\n"
        "models: {m: {estimator: lightgbm.LGBMClassifier}}\nmetrics: [f1]\n"
    )
    loaded = parse_spec(text, allow_import=("lightgbm",))
    assert loaded.spec.models["m"].estimator == "lightgbm.LGBMClassifier"


def test_at_most_a_hundred_mistakes_are_told(mistakes):
    found = mistakes("".join(f"k{number}: 1\n" for number in range(5000)))
    assert len(found) == 101
    assert found[-1] == "100 mistakes are shown; there are more"


def test_a_message_does_not_repeat_a_very_long_name(mistakes):
    (found,) = mistakes(f"? {'k' * 20_000}\n: 1\n")
    assert len(found) < 1_500


def test_steps_of_an_estimator(mistakes):
    text = """\
    evalreport: 1
    datasets: {d: {path: d.csv, target: y}}
    cross_validation: {}
    models:
      m:
        estimator: sklearn.tree.DecisionTreeClassifier
        steps: [scal, 5, {scale: {}, impute: {}}, {scale: {methd: x}}, {impute: {strategy: men}}]
    metrics: [f1]
    """
    assert mistakes(text, whole=True) == [
        "7:13: unknown step 'scal'; did you mean 'scale'?",
        "7:19: item 2 of steps is 5; one of impute, scale, one_hot",
        "7:22: a step with 2 keys; one step each",
        "7:56: unknown key 'methd'; did you mean 'method'?",
        "7:88: strategy is 'men'; did you mean 'mean'?",
    ]
