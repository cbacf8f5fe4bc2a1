"""Classifiers by their path: looked up among known classes, never imported from free text."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import Any

from evalreport.data.labels import Written, as_number, matcher, written
from evalreport.errors import Location, Problem, SpecError, did_you_mean, nearest, slips
from evalreport.spec.estimators import CLASSIFIERS, ONE_TARGET, TAKE_SEVERAL_TARGETS


@cache
def sklearn_classifiers() -> Mapping[str, type]:
    """Every classifier of scikit-learn that a spec may name, by its public path, sorted."""
    import importlib

    found = {}
    for path in sorted(CLASSIFIERS):
        module, _, name = path.rpartition(".")
        found[path] = getattr(importlib.import_module(module), name)
    return found


def package_classifiers(package: str) -> Mapping[str, type]:
    """The classifier classes that an installed package (and its public parts) shows.

    Only for packages that the user admits by name: importing one runs its code.
    Raises SpecError where there is no such package.
    """
    import importlib
    import pkgutil

    if not package.isidentifier():
        raise SpecError(Problem(f"'{package}' is not a name of a package", "such as lightgbm"))
    try:
        root = importlib.import_module(package)
    except ImportError:
        problem = Problem(f"package '{package}' is not installed", f"pip install {package}")
        raise SpecError(problem) from None
    modules = {package: root}
    for part in pkgutil.iter_modules(getattr(root, "__path__", ())):
        if not part.name.startswith("_") and part.name not in ("tests", "conftest"):
            try:
                modules[f"{package}.{part.name}"] = importlib.import_module(
                    f"{package}.{part.name}"
                )
            except ImportError:
                continue  # a part that needs what is not installed shows no classifiers
    found: dict[str, type] = {}
    for path, module in modules.items():
        for name, value in vars(module).items():
            if _is_classifier(value, package) and not name.startswith("_"):
                found[f"{path}.{name}"] = value
    return dict(sorted(found.items()))


def _is_classifier(value: Any, package: str) -> bool:
    from sklearn.base import BaseEstimator, ClassifierMixin

    if not inspect.isclass(value) or inspect.isabstract(value):
        return False
    if value.__module__.partition(".")[0] != package:
        return False
    return issubclass(value, ClassifierMixin) and issubclass(value, BaseEstimator)


def classifier_class(
    path: str, allowed: Collection[str] = (), where: Location | None = None
) -> type:
    """The class a path names: a classifier of scikit-learn or of an allowed package.

    Raises SpecError naming the nearest one otherwise; nothing is imported for it.

    >>> classifier_class("sklearn.dummy.DummyClassifier").__name__
    'DummyClassifier'
    """
    known = sklearn_classifiers()
    if path in known:
        return known[path]
    if path in TAKE_SEVERAL_TARGETS:
        raise SpecError(Problem(f"{path} learns several targets at once", ONE_TARGET, where))
    package = path.partition(".")[0]
    if package in allowed and package != "sklearn":
        known = package_classifiers(package)
        if path in known:
            return known[path]
        hint = did_you_mean(path, known, f"classifiers of {package}")
        raise SpecError(Problem(f"'{path}' is not a classifier of {package}", hint, where))
    raise SpecError(
        Problem(f"'{path[:80]}' is not a classifier of scikit-learn", _instead(path, known), where)
    )


def _instead(path: str, known: Mapping[str, type]) -> str:
    last = path.rpartition(".")[2]
    same = [name for name in known if name.rpartition(".")[2] == last]
    close = same[0] if same else nearest(path, known)
    if close is None:
        by_last = {name.rpartition(".")[2]: name for name in known}
        word = nearest(last, by_last)
        close = by_last[word] if word else None
    if close is not None:
        return f"did you mean '{close}'?"
    return (
        "a path such as sklearn.linear_model.LogisticRegression; --allow-import PACKAGE "
        "admits the classifiers of an installed package"
    )


def make_estimator(
    path: str,
    params: Mapping[str, Any],
    seed: int = 0,
    allowed: Collection[str] = (),
    where: Location | None = None,
) -> Any:
    """A classifier, not fitted, with its parameters checked.

    A parameter that takes a classifier takes its path, or ``{path: parameters}``; one that
    takes several takes a mapping of names to either. A ``random_state`` that is not given
    becomes ``seed``, so that two runs agree. Raises SpecError for unknown classes and for
    unknown or impossible parameters.

    >>> made = make_estimator("sklearn.multiclass.OneVsRestClassifier",
    ...                       {"estimator": {"sklearn.svm.LinearSVC": {"C": 0.5}}})
    >>> made.estimator.C
    0.5
    """
    kind = classifier_class(path, allowed, where)
    check_param_names(path, kind, params, where)
    given = {name: _nested(name, value, seed, allowed, where) for name, value in params.items()}
    if "random_state" in _param_names(kind) and given.get("random_state") is None:
        given["random_state"] = seed % 2**32
    try:
        made = kind(**given)
        # Other packages inherit the check without the constraints that it looks at.
        if hasattr(made, "_parameter_constraints"):
            made._validate_params()
    except (TypeError, ValueError) as error:
        raise SpecError(
            Problem(f"{path}: {first_line(error)}", "see its documentation", where)
        ) from None
    return made


#: Parameters that take a classifier, and one that takes several by name.
ONE_INSIDE = ("estimator", "base_estimator", "final_estimator")
SEVERAL_INSIDE = "estimators"


def _nested(
    name: str, value: Any, seed: int, allowed: Collection[str], where: Location | None
) -> Any:
    """The value of a parameter; classifiers that are written in it are made."""

    def made(one: Any) -> Any:
        if isinstance(one, str):
            return make_estimator(one, {}, seed, allowed, where)
        if isinstance(one, Mapping) and len(one) == 1:
            ((path, params),) = one.items()
            if isinstance(path, str) and isinstance(params or {}, Mapping):
                return make_estimator(path, params or {}, seed, allowed, where)
        instead = f"{name}: sklearn.tree.DecisionTreeClassifier, or {{path: {{parameter: value}}}}"
        raise SpecError(Problem(f"{name} is {one!r}, no classifier", instead, where))

    if name in ONE_INSIDE and value is not None:
        return made(value)
    if name == SEVERAL_INSIDE and isinstance(value, Mapping):
        return [(str(key), made(one)) for key, one in value.items()]
    return value


def check_param_names(
    path: str, kind: type, params: Collection[str], where: Location | None = None
) -> None:
    """Raise SpecError for every parameter that the class does not have."""
    known = _param_names(kind)
    problems = [
        Problem(f"{path} has no parameter '{name}'", did_you_mean(name, known, "parameters"), where)
        for name in params
        if name not in known and not _passed_on(kind, name, known)
    ]
    if problems:
        raise SpecError(*problems)


@cache
def _param_names(kind: type) -> Collection[str]:
    """The constructor's names and, of a class that wraps a library, those that it tells of."""
    names = getattr(kind, "_get_param_names", None)
    if names is None:
        return tuple(name for name in inspect.signature(kind).parameters if name != "self")
    found = dict.fromkeys(names())
    try:
        # A subclass that passes its parameters on names them here and nowhere else.
        found |= dict.fromkeys(kind().get_params(deep=False))
    except Exception:  # noqa: BLE001 - whatever a constructor without parameters lacks
        return tuple(found)
    return tuple(found)


def _passed_on(kind: type, name: str, known: Collection[str]) -> bool:
    """Whether the constructor takes any name and keeps it; a slip of a known name is refused."""
    taken = inspect.signature(kind).parameters.values()
    if not any(p.kind is inspect.Parameter.VAR_KEYWORD for p in taken):
        return False
    if any(slips(name, one, max(len(name), len(one))) for one in known):
        return False
    try:
        return name in kind(**{name: 1}).get_params(deep=False)
    except Exception:  # noqa: BLE001 - the constructor refuses it in whatever way
        return False


#: Parameters whose keys, and whose value, are labels of the data.
KEYED_BY_LABEL = ("class_weight",)
LABELS = ("pos_label",)


def with_codes(params: Mapping[str, Any], labels: Sequence[str]) -> dict[str, Any]:
    """The parameters as the estimator is given them: it learns codes, the spec names labels.

    ``labels``: the classes in the order of their codes, from 0. Classifiers inside another
    are treated alike. Raises SpecError for a label that is no class.

    >>> with_codes({"class_weight": {"no": 1, "yes": 5}, "C": 2}, ["no", "yes"])
    {'class_weight': {0: 1, 1: 5}, 'C': 2}
    """
    find, found = matcher(labels), dict(params)
    place = {label: code for code, label in enumerate(labels)}

    def code(label: Any, name: str) -> int:
        own = find(written(label))
        if own not in place and as_number(str(label)) is not None:
            own = find(Written(str(label), "number"))  # a key is text, whatever its label is
        if own not in place:
            problem = f"{name} names '{label}', which is not a class"
            raise SpecError(Problem(problem, did_you_mean(own, labels, "classes")))
        return place[own]

    for name, value in params.items():
        if name in KEYED_BY_LABEL and isinstance(value, Mapping):
            found[name] = {code(label, name): weight for label, weight in value.items()}
        elif name in LABELS and value is not None:
            found[name] = code(value, name)
        elif name in ONE_INSIDE or name == SEVERAL_INSIDE:
            found[name] = _with_codes_inside(value, labels)
    return found


def _with_codes_inside(value: Any, labels: Sequence[str]) -> Any:
    if not isinstance(value, Mapping):
        return value
    return {
        key: with_codes(inside, labels)
        if isinstance(inside, Mapping) and "." in str(key)
        else _with_codes_inside(inside, labels)
        for key, inside in value.items()
    }


def first_line(error: BaseException, most: int = 300) -> str:
    r"""The first line of an error's text, or its kind where it has none.

    >>> first_line(ValueError("wrong\nmore"))
    'wrong'
    """
    text = str(error).strip()
    line = text.splitlines()[0].strip() if text else type(error).__name__
    return line if len(line) <= most else line[: most - 1] + "…"
