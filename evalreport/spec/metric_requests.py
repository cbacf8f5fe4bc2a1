"""A metric as a spec asks for it: ``accuracy``, or ``{fbeta: {beta: 2}}``."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from pydantic import model_serializer, model_validator

from evalreport.errors import did_you_mean
from evalreport.metrics.catalogue import find, suggestion
from evalreport.metrics.declare import Metric, Parameter, Table
from evalreport.spec.fields import Fault, Part, plain, refuse, shown, wrong_type

#: The rule that picks the point of the ROC curve nearest to (0, 1); no metric, only a rule.
CORNER = "distance_to_corner"
#: From here on a value of a share is taken for one in percent.
PERCENT = 2.0
OF_A_TABLE = (Table.COUNTS, Table.MATRIX)


class MetricRequest(Part):
    """A metric of the catalogue with the parameters the spec gives it.

    ``asked`` is the word the spec uses, ``name`` the canonical name. ``params``
    holds what is written, whole numbers as int and others as float.

    >>> MetricRequest.model_validate("ppv").name
    'precision'
    """

    asked: str
    name: str
    params: Mapping[str, bool | int | float | str]

    @property
    def metric(self) -> Metric:
        """The declared metric."""
        found = find(self.name)
        assert found is not None, self.name
        return found

    @property
    def sorted_params(self) -> tuple[tuple[str, Any], ...]:
        """The parameters as pairs, sorted by name."""
        return tuple(sorted(self.params.items()))

    @property
    def text(self) -> str:
        """The request in words: the canonical name with its parameters.

        >>> from evalreport.spec.scalars import Scalar
        >>> MetricRequest.model_validate({"fbeta": {"beta": Scalar("2", "integer")}}).text
        'fbeta(beta=2)'
        """
        inside = ", ".join(f"{key}={_number_text(value)}" for key, value in self.sorted_params)
        return f"{self.name}({inside})" if inside else self.name

    def __eq__(self, other: object) -> bool:
        """The same number is asked for, under whatever name."""
        if not isinstance(other, MetricRequest):
            return NotImplemented
        return (self.name, self.sorted_params) == (other.name, other.sorted_params)

    def __hash__(self) -> int:
        return hash((self.name, self.sorted_params))

    @model_validator(mode="before")
    @classmethod
    def _read(cls, raw: Any) -> Any:
        return raw if isinstance(raw, MetricRequest) else cls._parts(*word_and_params(raw))

    @classmethod
    def _parts(cls, word: str, params: Mapping[str, Any] | None) -> dict[str, Any]:
        """The fields of a request; raises the faults of the word and its parameters."""
        metric = known_metric(word, at_key=params is not None)
        return {
            "asked": word,
            "name": metric.name,
            "params": read_params(metric, params or {}, () if params is None else (word,)),
        }

    @model_serializer
    def _written(self) -> Any:
        return {self.asked: dict(self.params)} if self.params else self.asked


class RuleMetric(MetricRequest):
    """What a threshold rule optimises: a metric of a classification table, or the corner."""

    @property
    def is_corner(self) -> bool:
        """Whether this is the distance to the top-left corner of the ROC curve."""
        return self.name == CORNER

    @classmethod
    def _parts(cls, word: str, params: Mapping[str, Any] | None) -> dict[str, Any]:
        if word == CORNER and not params:
            return {"asked": word, "name": word, "params": {}}
        metric = known_metric(word, at_key=params is not None, extra=(CORNER,))
        of_a_table(metric, word, at_key=params is not None)
        return super()._parts(word, params)


def out_of_range(
    metric: Metric, value: float, path: tuple[str, ...], *, of_one: str = ""
) -> list[Fault]:
    """A value that the metric cannot have: nearly always a share written as percent.

    ``of_one`` is said in place of the share where a place has another way to write percent.
    """
    low, high = metric.bounds
    if low <= value <= high:
        return []
    hint = f"a value from {low:g} to {high:g}"
    if high == 1 and PERCENT <= value <= 100:
        hint = of_one or f"{hint}: {value / 100:g}"
    return [Fault(f"{metric.name} is never {value:g}", hint, path)]


def word_and_params(raw: Any) -> tuple[str, Mapping[str, Any] | None]:
    """The two halves of a request as written; None where it has no parameters."""
    if isinstance(raw, str):
        return raw, None
    if isinstance(raw, dict) and len(raw) == 1:
        ((word, params),) = raw.items()
        if isinstance(params, dict):
            return str(word), params
        raise refuse(
            Fault(
                f"parameters of {word} are {shown(params)}",
                f"a mapping, such as {{{word}: {{name: value}}}}",
                (word,),
            )
        )
    if isinstance(raw, dict):
        raise refuse(
            Fault(
                f"a metric with {len(raw)} keys",
                "one metric each: a name, or {name: {parameter: value}}",
            )
        )
    raise wrong_type(raw, "the name of a metric, or {name: {parameter: value}}")


def unknown_metric(word: str, *, at_key: bool = False, extra: tuple[str, ...] = ()) -> Fault:
    """The fault of a word that names no metric, with the nearest one that does."""

    def hint() -> str:
        return suggestion(word, extra) or "`evalreport metrics` lists them"

    return Fault(f"unknown metric {shown(word)}", hint, (word,) if at_key else (), at_key=at_key)


def known_metric(word: str, *, at_key: bool = False, extra: tuple[str, ...] = ()) -> Metric:
    """The metric with this name or alias; raises the fault that names the nearest one."""
    metric = find(word)
    if metric is None:
        raise refuse(unknown_metric(word, at_key=at_key, extra=extra))
    return metric


def of_a_table(metric: Metric, word: str, *, at_key: bool = False) -> None:
    """Refuse a metric that is not computed from a classification table."""
    if metric.table not in OF_A_TABLE:
        hint = metric.instead or "a metric of a table, such as youden_j or f1"
        raise refuse(
            Fault(
                f"{word} does not change with the threshold",
                hint,
                (word,) if at_key else (),
                at_key=at_key,
            )
        )


def read_params(
    metric: Metric, params: Mapping[str, Any], at: tuple[str | int, ...]
) -> dict[str, bool | int | float | str]:
    """The parameters of a metric, checked; raises every fault among them."""
    known = {parameter.name: parameter for parameter in metric.parameters}
    faults = []
    values: dict[str, bool | int | float | str] = {}
    for name, raw in params.items():
        if name not in known:
            what = f"unknown parameter '{name}' of {metric.name}"
            hint = partial(did_you_mean, name, tuple(known), f"parameters of {metric.name}")
            faults.append(Fault(what, hint, (*at, name), at_key=True))
            continue
        value = plain(raw)
        problem = known[name].problem(value)
        if problem is not None:
            faults.append(Fault(f"{name} is {shown(raw)}", problem, (*at, name)))
        elif value is not None:
            values[name] = _converted(known[name], value)
    wrong = None if faults else metric.missing({**_of_spec(metric), **values})
    if wrong is not None:
        example = (metric.one_of or metric.either or tuple(known))[0]
        faults.append(Fault(wrong, f"{{{metric.name}: {{{example}: ...}}}}", at))
    if faults:
        raise refuse(*faults)
    return values


def _of_spec(metric: Metric) -> dict[str, None]:
    """The parameters that another part of the spec may fill; whether it does is seen later."""
    return {p.name: None for p in metric.parameters if p.of_spec}


def _converted(parameter: Parameter, value: Any) -> bool | int | float | str:
    if parameter.type is float and not isinstance(value, (str, bool)):
        return float(value)
    if parameter.type is int and not isinstance(value, (str, bool)):
        return int(value)
    assert isinstance(value, (bool, int, float, str))
    return value


def _number_text(value: Any) -> str:
    """A number without a needless ``.0``."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e16:
        return str(int(value))
    return str(value)
