"""What the names of columns say: words that people use for labels, scores, ids and models."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from evalreport.data.labels import as_number, order_labels


def _each(listed: str) -> tuple[str, ...]:
    """The words of a text, in their order."""
    return tuple(listed.split())


def _set_of(listed: str) -> frozenset[str]:
    return frozenset(_each(listed))


#: Names of true labels, the surest first.
TARGETS = _each(
    "y_true true_label label_ids label_id label_true ground_truth groundtruth gt gold "
    "gold_label truth true true_class actual actual_class actual_label observed obs "
    "reference reference_standard target y_test y label labels class outcome diagnosis "
    "response event status default churn survived category species disease befund diagnose"
)
#: Words that only names of true labels hold.
_TRUE_WORDS = {"true", "truth", "actual", "gold", "observed", "target", "gt", "reference"}
PREDICTED_WORDS = _set_of(
    "pred prediction predictions predicted preds predict yhat hat said guess decision call "
    "answer output assigned"
)
SCORE_WORDS = _set_of(
    "score scores prob probs probability probabilities proba p risk confidence conf "
    "likelihood propensity softmax posterior prob1 p1 phat prediction_score predprob "
    "wahrscheinlichkeit probabilité probabilidad"
)
MARGIN_WORDS = _set_of(
    "decision margin logit logits logodds odds distance raw function linear eta lp"
)
#: What a column is called that says of which model a row is.
MODEL_COLUMNS = {"model", "models", "model_name", "classifier", "algorithm", "estimator", "system"}
MODEL_WORDS = _set_of(
    "lr logreg logistic logit glm glmnet ridge lasso rf forest randomforest ranger et gb "
    "gbm gbt gbdt xgb xgboost lgb lgbm lightgbm catboost cat ada adaboost svm svc knn nb "
    "bayes naive tree cart dt mlp nn dnn cnn rnn lstm resnet net bert roberta gpt llm lda "
    "qda gp ensemble stack stacking blend baseline model classifier clf rule"
)
IDS = {"id", "ids", "uuid", "guid", "key", "identifier", "rowid", "row", "index", "idx"}
FOLDS = {"fold", "cv_fold", "folds", "fold_id"}
WEIGHTS = {"sample_weight", "sample_weights", "sampling_weight", "survey_weight", "row_weight"}
#: Columns of how many rows are of a kind, where no two rows are of the same kind.
COUNTS = {"n", "count", "counts", "freq", "frequency", "cases", "rows"}
_OUTCOME_WORDS = {"correct", "incorrect", "wrong", "error", "mistake", "match", "hit", "right"}
#: Columns that programs write for their own use.
_OWN = re.compile(r"unnamed: [\d.]+|__index_level_\d+__|level_\d+|\.row|rownames?", re.IGNORECASE)

#: Words for the class that is looked for, and for the other; the first ones settle it.
POSITIVE = (
    "1", "1.0", "true", "yes", "y", "t", "positive", "pos", "+1", "+",
    "ja", "oui", "si", "s\u00ed", "positiv", "positif", "positivo",
)  # fmt: skip
NEGATIVE = (
    "0", "0.0", "-1", "-1.0", "false", "no", "n", "f", "negative", "neg", "-",
    "nein", "non", "nee", "negativ", "negatif", "n\u00e9gatif", "negativo",
)  # fmt: skip
LIKELY_POSITIVE = _set_of(
    "malignant ill sick diseased disease case cancer bad spam fraud present dead died churn "
    "churned default defaulted abnormal fail failed failure anomaly attack high event toxic "
    "hate relapse pathological infected risky defect defective m toxicity offensive accept"
)
LIKELY_NEGATIVE = _set_of(
    "benign healthy well normal control good ham legit legitimate genuine absent alive stay "
    "stayed retained paid ok pass passed low none nonevent reject clean safe b"
)


def words(name: str) -> list[str]:
    """The words of a name, in lower case, also where only capitals part them.

    >>> words("rfProba.Yes"), words("P(ill)"), words(".pred_class")
    (['rf', 'proba', 'yes'], ['p', 'ill'], ['pred', 'class'])
    """
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    return [word for word in re.split(r"[^\w]+|_", apart.casefold()) if word]


def folded(name: str) -> str:
    """A name in lower case with one kind of separator."""
    return "_".join(words(name))


def is_id(name: str) -> bool:
    """Whether a name says that it names rows."""
    return bool(IDS & set(words(name))) or folded(name) in IDS


def is_own(name: str) -> bool:
    """Whether a program wrote the column for itself: the index of a frame, row names.

    >>> is_own("Unnamed: 0"), is_own("name")
    (True, False)
    """
    return _OWN.fullmatch(name) is not None


def is_prediction(name: str) -> bool:
    """Whether a name says that it holds what a model predicts."""
    return bool(PREDICTED_WORDS & set(words(name)))


def is_outcome(name: str) -> bool:
    """Whether a name says that it holds how right a prediction was.

    >>> is_outcome("prediction_correct"), is_outcome("prediction")
    (True, False)
    """
    return bool(_OUTCOME_WORDS & set(words(name)))


def is_score(name: str) -> bool:
    """Whether a name says that it holds scores."""
    return any(word.rstrip("0123456789") in SCORE_WORDS for word in words(name))


def is_margin(name: str) -> bool:
    """Whether a name says that it holds signed distances."""
    return bool(MARGIN_WORDS & set(words(name)))


def is_model(name: str) -> bool:
    """Whether a name is that of a kind of model, with a number or version at most."""
    found = [word.rstrip("0123456789") for word in words(name)]
    return bool(found) and all(word in MODEL_WORDS or not word or word == "v" for word in found)


def is_telling(name: str) -> bool:
    """Whether a name says that its column is of a model: of what it predicts, or of its kind."""
    return is_prediction(name) or is_model(name) or any(is_model(word) for word in words(name))


def target_rank(name: str) -> int | None:
    """How surely a name is that of true labels; smaller is surer, None for no."""
    low = folded(name)
    if low in TARGETS:
        return TARGETS.index(low)
    if set(words(name)) & PREDICTED_WORDS:
        return None
    return len(TARGETS) if _TRUE_WORDS & set(words(name)) else None


def model_name(columns: Sequence[str]) -> str:
    """The name of a model by its columns: what is left without words for scores and labels.

    >>> model_name(["rf_proba"]), model_name(["pred.xgb"]), model_name(["y_score"])
    ('rf', 'xgb', 'model')
    """
    plain = SCORE_WORDS | PREDICTED_WORDS | {"y", "label", "class", "value", "positive", "of"}
    for column in columns:
        left = [word for word in words(column) if word not in plain]
        if left:
            return "_".join(left)
    return "model"


def columns_by_class(names: Iterable[str], classes: Sequence[str]) -> dict[str, dict[str, str]]:
    """Columns named by a class: for what is left of their names, the column of each class.

    Exact spelling goes before other capitals, and a class is a whole word of the name:
    ``chill`` is not the column of ``ill``.

    >>> columns_by_class(["proba_0", "proba_1", "age"], ["0", "1"])
    {'proba': {'0': 'proba_0', '1': 'proba_1'}}
    >>> columns_by_class(["had", "hAd"], ["hAd", "x"])
    {'': {'hAd': 'hAd'}}
    """
    found: dict[str, dict[str, str]] = {}
    taken: set[str] = set()
    listed = list(names)
    for exact in (True, False):
        for label in sorted(classes, key=len, reverse=True):
            for name in listed:
                rest = None if name in taken else _without_class(name, label, exact)
                if rest is None or label in found.get(rest, {}):
                    continue
                known = {n.casefold() for one in found.values() for n in one.values()}
                if not exact and name.casefold() in known:
                    continue
                found.setdefault(rest, {})[label] = name
                taken.add(name)
    return found


def _without_class(name: str, label: str, exact: bool) -> str | None:
    """The name without the class in it, None where the class is no whole part of it."""
    if not exact:
        name, label = name.casefold(), label.casefold()
    if name == label:
        return ""
    inside = re.escape(label)
    edge = r"[\s_.\-:(\[=|/]+"
    after = re.fullmatch(rf"(.*?){edge}{inside}[)\]\s]*", name, re.DOTALL)
    if after:
        return folded(after[1])
    before = re.fullmatch(rf"{inside}[\s_.\-:]+(.*)", name, re.DOTALL)
    if before:
        return folded(before[1])
    short = re.fullmatch(rf"(p|prob|proba|score|class|probability){inside}", name)
    return folded(short[1]) if short else None


def yes_and_no(labels: Sequence[str]) -> tuple[str, str] | None:
    """Two labels that are words for yes and for no, in this order; None for any others.

    >>> yes_and_no(["no", "yes"]), yes_and_no(["f", "m"])
    (('yes', 'no'), None)
    """
    found = positive_by_words(labels)
    if len(labels) != 2 or found is None:
        return None
    no = next(label for label in labels if label != found[0])
    known = found[0].strip().casefold() in POSITIVE and no.strip().casefold() in NEGATIVE
    return (found[0], no) if known else None


def positive_by_words(classes: Sequence[str]) -> tuple[str, bool] | None:
    """The class that the words call positive, and whether they settle it; None for no word.

    >>> positive_by_words(["0", "1"]), positive_by_words(["Bad", "Good"])
    (('1', True), ('Bad', False))
    >>> positive_by_words(["1", "2"])
    """
    low: Mapping[str, str] = {label.strip().casefold(): label for label in classes}
    numbers = [as_number(label) for label in low]
    if None not in numbers:
        # 1 of 1 and 2 is as often the first of two groups as the one that is looked for
        small, large = order_labels(low) if len(low) == 2 else ("", "")
        settled = bool(large) and not float(small) > 0 and float(large) > 0
        return (low[large], True) if settled else None
    for word in POSITIVE:
        if word in low:
            return low[word], True
    for word in NEGATIVE:
        if word in low:
            return next(label for label in classes if label != low[word]), True
    yes = [low[word] for word in low if word in LIKELY_POSITIVE]
    no = [low[word] for word in low if word in LIKELY_NEGATIVE]
    if len(yes) == 1:
        return yes[0], False
    if len(no) == 1 and len(classes) == 2:
        return next(label for label in classes if label != no[0]), False
    pairs = [label for label in classes if re.match(r"(not?|non)[\s_-]", label, re.IGNORECASE)]
    if len(pairs) == 1 and len(classes) == 2:
        return next(label for label in classes if label != pairs[0]), True
    return None
