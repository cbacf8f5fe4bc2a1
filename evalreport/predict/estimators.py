"""Classifiers by their path: looked up among known classes, never imported from free text."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Mapping
from functools import cache
from typing import Any

from evalreport.errors import Location, Problem, SpecError, did_you_mean, nearest


@cache
def sklearn_classifiers() -> Mapping[str, type]:
    """Every classifier of scikit-learn by its public path, sorted."""
    from sklearn.utils import all_estimators

    found = {}
    for name, kind in all_estimators(type_filter="classifier"):
        public = [part for part in kind.__module__.split(".") if not part.startswith("_")]
        found[".".join([*public, name])] = kind
    return dict(sorted(found.items()))


def package_classifiers(package: str) -> Mapping[str, type]:
    """The classifier classes that an installed package (and its public parts) shows.

    Only for packages that the user admits by name: importing one runs its code.
    Raises SpecError where there is no such package.
    """
    import importlib
    import pkgutil

    if not package.isidentifier():
        raise SpecError(Problem(f"'{package}' is no name of a package", "such as lightgbm"))
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
    package = path.partition(".")[0]
    if package in allowed and package != "sklearn":
        known = package_classifiers(package)
        if path in known:
            return known[path]
        hint = did_you_mean(path, known, f"classifiers of {package}")
        raise SpecError(Problem(f"'{path}' is no classifier of {package}", hint, where))
    raise SpecError(
        Problem(f"'{path[:80]}' is no classifier of scikit-learn", _instead(path, known), where)
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

    A ``random_state`` that is not given becomes ``seed``, so that two runs agree.
    Raises SpecError for unknown classes and for unknown or impossible parameters.
    """
    kind = classifier_class(path, allowed, where)
    check_param_names(path, kind, params, where)
    given = dict(params)
    if "random_state" in _param_names(kind) and given.get("random_state") is None:
        given["random_state"] = seed % 2**32
    try:
        made = kind(**given)
        # Other packages inherit the check without the constraints that it looks at.
        if hasattr(made, "_parameter_constraints"):
            made._validate_params()
    except (TypeError, ValueError) as error:
        raise SpecError(Problem(f"{path}: {first_line(error)}", "see its documentation", where)
                        ) from None
    return made


def check_param_names(
    path: str, kind: type, params: Collection[str], where: Location | None = None
) -> None:
    """Raise SpecError for every parameter that the class does not have."""
    known = _param_names(kind)
    problems = [
        Problem(f"{path} has no parameter '{name}'", did_you_mean(name, known, "parameters"), where)
        for name in params
        if name not in known
    ]
    if problems:
        raise SpecError(*problems)


def _param_names(kind: type) -> Collection[str]:
    names = getattr(kind, "_get_param_names", None)
    if names is not None:
        return tuple(names())
    return tuple(name for name in inspect.signature(kind).parameters if name != "self")


def first_line(error: BaseException, most: int = 300) -> str:
    r"""The first line of an error's text, or its kind where it has none.

    >>> first_line(ValueError("wrong\nmore"))
    'wrong'
    """
    text = str(error).strip()
    line = text.splitlines()[0].strip() if text else type(error).__name__
    return line if len(line) <= most else line[: most - 1] + "…"
