"""What is declared of every metric, written down here a second time from the literature.

A column of FACTS: name; aliases; table; direction (``+`` higher, ``-`` lower, ``.`` neither,
``=`` a target); lowest, highest and best value (``nan``: no value is best on all data);
averages (M macro, m micro, W weighted, S samples); family of intervals.
"""

from __future__ import annotations

import inspect
import math
import re
from pathlib import Path

from evalreport.metrics import catalogue as catalogue_module
from evalreport.metrics.catalogue import catalogue, find, known_names
from evalreport.metrics.declare import Average, Goal, Interval, Kind, Metric, Table

FACTS = """
accuracy | acc accuracy_score success_rate proportion_correct percent_correct \
    correct_classification_rate overall_accuracy classification_accuracy \
    recognition_rate | counts | + 0 1 1 | MmW | PROPORTION
error_rate | misclassification_rate misclassification_error classification_error \
    zero_one_loss error failure_rate | counts | - 0 1 0 | MmW | PROPORTION
recall | sensitivity tpr true_positive_rate hit_rate recall_score probability_of_detection \
    producers_accuracy | counts | + 0 1 1 | MmWS | PROPORTION
specificity | tnr true_negative_rate selectivity | counts | + 0 1 1 | MmW | PROPORTION
precision | ppv positive_predictive_value precision_score users_accuracy \
    | counts | + 0 1 1 | MmWS | PROPORTION
npv | negative_predictive_value | counts | + 0 1 1 | MmW | PROPORTION
fpr | false_positive_rate fall_out fallout false_alarm_rate type_i_error type_i_error_rate \
    type_1_error | counts | - 0 1 0 | MmW | PROPORTION
fnr | miss_rate false_negative_rate type_ii_error type_ii_error_rate type_2_error \
    | counts | - 0 1 0 | MmW | PROPORTION
fdr | false_discovery_rate false_alarm_ratio | counts | - 0 1 0 | MmW | PROPORTION
false_omission_rate | | counts | - 0 1 0 | MmW | PROPORTION
f1 | f1_score f_measure f_score f1_measure dice dice_coefficient | counts | + 0 1 1 | MmWS | SMOOTH
fbeta | f_beta fbeta_score | counts | + 0 1 1 | MmWS | SMOOTH
jaccard | critical_success_index threat_score jaccard_index jaccard_score iou \
    intersection_over_union | counts | + 0 1 1 | MmW | PROPORTION
youden_j | informedness youden youden_index bookmaker_informedness true_skill_statistic \
    | counts | + -1 1 1 | MmW | TWO_RATES
markedness | | counts | + -1 1 1 | MmW | SMOOTH
g_mean | gmean geometric_mean | counts | + 0 1 1 | MmW | SMOOTH
fowlkes_mallows | | counts | + 0 1 1 | MmW | SMOOTH
lr_plus | positive_likelihood_ratio plr | counts | + 0 inf None | | LOG
lr_minus | negative_likelihood_ratio nlr | counts | - 0 inf 0 | | LOG
diagnostic_odds_ratio | dor odds_ratio | counts | + 0 inf None | | LOG
prevalence | base_rate | counts | . 0 1 None | | PROPORTION
predicted_prevalence | detection_prevalence apparent_prevalence \
    | counts | . 0 1 None | | PROPORTION
selection_rate | | counts | . 0 1 None | | PROPORTION
impact_ratio | | counts | + 0 1 nan | | RATIO
detection_rate | | counts | + 0 1 nan | | PROPORTION
balanced_accuracy | | counts | + 0 1 1 | | TWO_RATES
balanced_error_rate | class_balanced_error | counts | - 0 1 0 | | TWO_RATES
ppv_at_prevalence | | counts | + 0 1 1 | | PREDICTIVE
npv_at_prevalence | | counts | + 0 1 1 | | PREDICTIVE
net_benefit | | counts | + -inf 1 nan | | MEAN
standardised_net_benefit | standardized_net_benefit relative_utility \
    | counts | + -inf 1 1 | | SMOOTH
mcc | matthews_correlation matthews_corrcoef matthews_correlation_coefficient phi \
    phi_coefficient | counts | + -1 1 1 | | CORRELATION
kappa | cohen_kappa cohens_kappa cohen_kappa_score | matrix | + -1 1 1 | | KAPPA
weighted_kappa | | matrix | + -1 1 1 | | KAPPA
gwet_ac1 | gwet ac1 gwets_ac1 | matrix | + -1 1 1 | | SMOOTH
no_information_rate | majority_share nir | matrix | . 0 1 None | | PROPORTION
accuracy_p_value | | matrix | . 0 1 None | | NONE
bowker_p_value | bowker symmetry_p_value | matrix | . 0 1 None | | NONE
stuart_maxwell_p_value | stuart_maxwell marginal_homogeneity_p_value \
    | matrix | . 0 1 None | | NONE
expected_cost | | counts | - -inf inf nan | | MEAN
roc_auc | auc auroc auc_roc roc_auc_score c_statistic c_index concordance_index \
    | scores | + 0 1 1 | MmW | AUC
gini | somers_d accuracy_ratio gini_coefficient | scores | + -1 1 1 | MW | AUC
mann_whitney_u | | scores | + 0 inf None | | AUC
partial_auc | | scores | + 0 1 1 | MW | RESAMPLED
ks | kolmogorov_smirnov ks_statistic | scores | + 0 1 1 | MW | DISTANCE
hand_till_auc | m_measure | class_scores | + 0 1 1 | | RESAMPLED
average_precision | ap average_precision_score | scores | + 0 1 1 | MmW | RANKED
pr_auc | auprc auc_pr | scores | + 0 1 1 | MW | RANKED
pr_auc_interpolated | | scores | + 0 1 1 | MW | RESAMPLED
h_measure | | scores | + 0 1 1 | MW | RESAMPLED
gain | capture_rate | scores | + 0 1 1 | MW | RESAMPLED
lift | | scores | + 0 inf None | MW | RESAMPLED
recall_at_specificity | sensitivity_at_specificity tpr_at_tnr \
    | scores | + 0 1 1 | MW | AT_RATE
specificity_at_recall | specificity_at_sensitivity tnr_at_tpr \
    | scores | + 0 1 1 | MW | AT_RATE
precision_at_recall | ppv_at_sensitivity | scores | + 0 1 1 | MW | AT_RATE
log_loss | cross_entropy cross_entropy_loss binary_cross_entropy logloss negative_log_likelihood \
    | scores | - 0 inf 0 | | MEAN
brier | brier_score brier_score_loss | scores | - 0 2 0 | | MEAN
brier_scaled | brier_skill_score index_of_prediction_accuracy | scores | + -inf 1 1 | | RESAMPLED
squared_error | mse mean_squared_error mean_square_error | scores | - 0 1 0 | | MEAN
absolute_error | mae mean_absolute_error | scores | - 0 1 0 | | MEAN
softmax_cost | logistic_loss | scores | - 0 inf 0 | | MEAN
mcfadden_r2 | pseudo_r2 mcfadden | scores | + -inf 1 1 | | RESAMPLED
cox_snell_r2 | cox_snell | scores | + -inf 1 nan | | RESAMPLED
nagelkerke_r2 | nagelkerke cragg_uhler_r2 | scores | + -inf 1 1 | | RESAMPLED
discrimination_slope | tjur_r2 coefficient_of_discrimination yates_slope \
    | scores | + -1 1 1 | | RESAMPLED
top_k_accuracy | | class_scores | + 0 1 1 | | PROPORTION
calibration_slope | | scores | = -inf inf 1 | | LOGISTIC
calibration_intercept | | scores | = -inf inf 0 | | LOGISTIC
calibration_in_the_large | | scores | = -inf inf 0 | | LOGISTIC
oe_ratio | observed_expected_ratio | scores | = 0 inf 1 | | RESAMPLED
ece | | scores | - 0 1 0 | MW | RESAMPLED
mce | | scores | - 0 1 0 | MW | RESAMPLED
ici | integrated_calibration_index | scores | - 0 1 0 | | RESAMPLED
e50 | median_calibration_distance | scores | - 0 1 0 | | RESAMPLED
e90 | calibration_distance_90 | scores | - 0 1 0 | | RESAMPLED
emax | largest_calibration_distance | scores | - 0 1 0 | | RESAMPLED
eci | estimated_calibration_index | scores | - 0 inf 0 | | RESAMPLED
brier_miscalibration | mcb miscalibration | scores | - 0 1 0 | | FITTED
brier_discrimination | dsc | scores | + 0 0.25 nan | | FITTED
brier_uncertainty | unc | scores | . 0 0.25 None | | RESAMPLED
brier_recalibrated | recalibrated_brier | scores | - 0 0.25 0 | | FITTED
hosmer_lemeshow | | scores | . 0 inf None | | NONE
hosmer_lemeshow_p | | scores | . 0 1 None | | NONE
spiegelhalter_z | | scores | = -inf inf 0 | | NONE
spiegelhalter_p | | scores | . 0 1 None | | NONE
exact_match | subset_accuracy exact_match_ratio | label_sets | + 0 1 1 | | PROPORTION
hamming_loss | | label_sets | - 0 1 0 | | MEAN
example_jaccard | multilabel_accuracy | label_sets | + 0 1 1 | | MEAN
alpha_evaluation | | label_sets | + 0 1 1 | | MEAN
hierarchical_loss | h_loss | label_sets | - 0 inf 0 | | MEAN
one_error | | label_sets | - 0 1 0 | | PROPORTION
coverage_error | | label_sets | - 0 inf 0 | | MEAN
ranking_loss | | label_sets | - 0 1 0 | | MEAN
label_ranking_average_precision | lrap | label_sets | + 0 1 1 | | MEAN
"""
GOALS = {"+": Goal.MAXIMIZE, "-": Goal.MINIMIZE, ".": Goal.DESCRIBE, "=": Goal.TARGET}
AVERAGES = {
    "M": Average.MACRO,
    "m": Average.MICRO,
    "W": Average.WEIGHTED,
    "S": Average.SAMPLES,
}
ROWS = [[part.strip() for part in line.split("|")] for line in FACTS.strip().splitlines()]

#: Metrics that belong to all classes together; all others belong to one class.
OF_ALL_CLASSES = {
    *("balanced_accuracy", "balanced_error_rate", "mcc", "kappa", "weighted_kappa", "gwet_ac1"),
    *("no_information_rate", "accuracy_p_value", "expected_cost", "hand_till_auc"),
    *("bowker_p_value", "stuart_maxwell_p_value"),
    *("log_loss", "brier", "brier_scaled", "squared_error", "absolute_error", "softmax_cost"),
    *("top_k_accuracy", "exact_match", "hamming_loss", "example_jaccard", "alpha_evaluation"),
    *("hierarchical_loss", "one_error", "coverage_error", "ranking_loss"),
    "label_ranking_average_precision",
}
#: Metrics with a form of their own for more than two classes.
WITH_MORE_CLASSES = {
    "accuracy": Table.MATRIX,
    "error_rate": Table.MATRIX,
    "balanced_accuracy": Table.MATRIX,
    "balanced_error_rate": Table.MATRIX,
    "mcc": Table.MATRIX,
    "expected_cost": Table.MATRIX,
    "log_loss": Table.CLASS_SCORES,
    "brier": Table.CLASS_SCORES,
    "brier_scaled": Table.CLASS_SCORES,
    "squared_error": Table.CLASS_SCORES,
    "absolute_error": Table.CLASS_SCORES,
}
OF_PROBABILITIES = {
    *("log_loss", "brier", "brier_scaled", "squared_error", "absolute_error"),
    *("calibration_slope", "calibration_intercept", "calibration_in_the_large", "oe_ratio"),
    *("ici", "e50", "e90", "emax", "eci"),
    *("brier_miscalibration", "brier_discrimination", "brier_uncertainty", "brier_recalibrated"),
    *("ece", "mce", "hosmer_lemeshow", "hosmer_lemeshow_p", "spiegelhalter_z", "spiegelhalter_p"),
    *("mcfadden_r2", "cox_snell_r2", "nagelkerke_r2", "discrimination_slope"),
}
CONTEXT = {
    "net_benefit": ("threshold",),
    "standardised_net_benefit": ("threshold",),
    "expected_cost": ("costs",),
    "impact_ratio": ("highest",),
    "hierarchical_loss": ("parents",),
}


def found(name: str) -> Metric:
    declared = find(name)
    assert declared is not None, name
    return declared


def test_these_are_all_metrics_and_aliases_in_their_order() -> None:
    assert {row[0] for row in ROWS} == {m.name for m in catalogue()}
    words = [word for row in ROWS for word in (row[0], *row[1].split())]
    assert sorted(words) == list(known_names())
    assert len(words) == len(set(words))


def test_aliases_lead_to_their_metric() -> None:
    for name, aliases, *_ in ROWS:
        assert found(name).name == name
        assert found(name).aliases == tuple(aliases.split())
        assert all(found(alias) is found(name) for alias in aliases.split())
    assert find("no such metric") is None


def test_table_direction_range_and_best_value() -> None:
    for name, _, table, range_text, _, _ in ROWS:
        sign, low, high, best = range_text.split()
        declared = found(name)
        assert declared.table.value == table, name
        assert declared.goal is GOALS[sign], name
        assert declared.bounds == (float(low), float(high)), name
        # Over K classes the squared differences of a row add up to 2 at most.
        assert declared.range_of(2) == ((0, 1) if name == "brier" else declared.bounds), name
        assert str(declared.best) == (best if best in ("None", "nan") else f"{best}.0"), name


def test_averages_or_the_reason_against_them() -> None:
    for name, _, _, _, averages, _ in ROWS:
        declared = found(name)
        assert declared.averages == tuple(AVERAGES[letter] for letter in averages), name
        # Jaccard averages over rows under a name of its own, and says so
        assert bool(declared.no_average) != (bool(averages) and name != "jaccard"), name


def test_interval_families() -> None:
    for name, *_, family in ROWS:
        assert found(name).interval is Interval[family], name


def test_scope_kind_context_and_the_form_for_more_classes() -> None:
    for declared in catalogue():
        name = declared.name
        assert declared.scope == ("all" if name in OF_ALL_CLASSES else "class"), name
        margin = Kind.MARGIN if name == "softmax_cost" else Kind.RANK
        assert declared.kind is (Kind.PROBABILITY if name in OF_PROBABILITIES else margin), name
        assert declared.context == CONTEXT.get(name, ()), name
        assert declared.classes_table is WITH_MORE_CLASSES.get(name), name
        assert (declared.for_classes is None) == (name not in WITH_MORE_CLASSES), name
        assert bool(declared.two_classes_only) == (name == "softmax_cost"), name
        assert declared.one_of == (("max_fpr", "min_tpr") if name == "partial_auc" else ()), name


MEANS_OVER_ROWS = {
    "log_loss": "rc",
    "brier": "rc",
    "squared_error": "rc",
    "absolute_error": "rc",
    "softmax_cost": "r",
    **dict.fromkeys(("exact_match", "hamming_loss", "example_jaccard", "alpha_evaluation"), "v"),
    **dict.fromkeys(("hierarchical_loss", "one_error", "coverage_error", "ranking_loss"), "v"),
    "label_ranking_average_precision": "v",
}


def test_which_metrics_are_means_over_rows() -> None:
    for declared in catalogue():
        losses = (declared.row_loss, declared.class_loss, declared.row_values)
        known = "".join(letter for letter, loss in zip("rcv", losses, strict=True) if loss)
        assert known == MEANS_OVER_ROWS.get(declared.name, ""), declared.name


#: name; type; default; lowest; highest; whether a limit itself is not allowed; choices
PARAMETERS = {
    "fbeta": [
        ("beta", float, 1.0, 0.0, 1e6, "(]", ()),
        ("alpha", float, "optional", 0.0, 1.0, "()", ()),
    ],
    "ppv_at_prevalence": [("prevalence", float, "required", 0.0, 1.0, "()", ())],
    "npv_at_prevalence": [("prevalence", float, "required", 0.0, 1.0, "()", ())],
    **{name: [("degree", int, 2, 1, 2, "[]", ())] for name in ("ici", "e50", "e90", "emax")},
    "weighted_kappa": [("weights", str, "linear", None, None, "[]", ("linear", "quadratic"))],
    "partial_auc": [
        ("max_fpr", float, "optional", 0.0, 1.0, "(]", ()),
        ("min_tpr", float, "optional", 0.0, 1.0, "[)", ()),
        ("standardized", bool, False, None, None, "[]", ()),
    ],
    "recall_at_specificity": [("specificity", float, 0.95, 0.0, 1.0, "(]", ())],
    "specificity_at_recall": [("recall", float, 0.95, 0.0, 1.0, "(]", ())],
    "precision_at_recall": [("recall", float, 0.95, 0.0, 1.0, "(]", ())],
    "h_measure": [
        ("alpha", float, "optional", 0.0, 1e6, "(]", ()),
        ("beta", float, "optional", 0.0, 1e6, "(]", ()),
    ],
    "gain": [("top", float, 0.1, 0.0, 1.0, "(]", ())],
    "lift": [("top", float, 0.1, 0.0, 1.0, "(]", ())],
    "top_k_accuracy": [("k", int, 2, 1, None, "[]", ())],
    **{
        name: [
            ("bins", int, 10, 1, 10_000, "[]", ()),
            ("strategy", str, "uniform", None, None, "[]", ("uniform", "quantile")),
        ]
        for name in ("ece", "mce")
    },
    "eci": [("relative", bool, "optional", None, None, "[]", ())],
    "hosmer_lemeshow": [("groups", int, 10, 2, 10_000, "[]", ())],
    "hosmer_lemeshow_p": [("groups", int, 10, 2, 10_000, "[]", ())],
    "alpha_evaluation": [
        ("alpha", float, 1.0, 0.0, 1e6, "[]", ()),
        ("beta", float, 1.0, 0.0, 1.0, "[]", ()),
        ("gamma", float, 1.0, 0.0, 1.0, "[]", ()),
    ],
}


def test_parameters_their_defaults_and_limits() -> None:
    for declared in catalogue():
        expected = PARAMETERS.get(declared.name, [])
        assert [p.name for p in declared.parameters] == [row[0] for row in expected]
        for p, (_, kind, default, low, high, ends, choices) in zip(
            declared.parameters, expected, strict=True
        ):
            said = "required" if p.required else "optional" if p.optional else p.default
            assert (p.type, said, p.choices) == (kind, default, choices), declared.name
            assert p.low == (-math.inf if low is None else low), (declared.name, p.name)
            assert p.high == (math.inf if high is None else high), (declared.name, p.name)
            assert (p.open_low, p.open_high) == (ends[0] == "(", ends[1] == ")"), declared.name
            assert p.meaning


def test_a_function_called_by_hand_has_the_declared_defaults() -> None:
    for declared in catalogue():
        written = inspect.signature(declared.function).parameters
        for p in declared.parameters:
            default = None if p.optional else p.default
            if not p.required:
                assert written[p.name].default == default, (declared.name, p.name)


# -- families of intervals and enumerations ---------------------------------------------------


def test_words_that_other_programs_read() -> None:
    assert [t.value for t in Table] == ["counts", "matrix", "scores", "class_scores", "label_sets"]
    assert [k.value for k in Kind] == ["rank", "probability", "margin"]
    assert [g.value for g in Goal] == ["maximize", "minimize", "target", "describe"]
    assert [a.value for a in Average] == ["macro", "micro", "weighted", "samples"]


def test_modules_that_declare_are_those_that_use_the_decorator() -> None:
    folder = Path(catalogue_module.__file__).parent
    uses = re.compile(r"^@metric\(|\bpartial\(\s*metric\b", re.MULTILINE)
    declaring = [p.stem for p in folder.glob("*.py") if uses.search(p.read_text("utf-8"))]
    assert sorted(declaring) == sorted(catalogue_module.DECLARING)
