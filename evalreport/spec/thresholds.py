"""Thresholds: a number, or a rule that finds one on rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field, model_serializer, model_validator

from evalreport.spec.fields import (
    Fault,
    Name,
    Number,
    Part,
    ShareOrCount,
    as_number,
    number_hint,
    refuse,
    shown,
    wrong_type,
)
from evalreport.spec.metric_requests import (
    CORNER,
    PERCENT,
    RuleMetric,
    out_of_range,
    word_and_params,
)
from evalreport.spec.scalars import Scalar

KINDS = ("value", "maximize", "minimize", "at_least", "at_most", "top")
GOALS = ("maximize", "minimize")
LIMITS = ("at_least", "at_most")


class Reach(Part):
    """A value to reach: ``{recall: 0.95}``, or ``{fbeta: {beta: 2, value: 0.9}}``."""

    metric: RuleMetric
    value: float

    @model_validator(mode="before")
    @classmethod
    def _read(cls, raw: Any) -> Any:
        if isinstance(raw, dict) and len(raw) == 1:
            ((word, wanted),) = raw.items()
            if isinstance(wanted, dict):
                if "value" not in wanted:
                    raise refuse(
                        Fault(
                            f"{word} has no value to reach",
                            "value: 0.9 beside its parameters",
                            (word,),
                            at_key=True,
                        )
                    )
                params = {key: item for key, item in wanted.items() if key != "value"}
                return _reached(_metric({word: params}), wanted["value"], word, "value")
            return _reached(_metric(word, keyed=True), wanted, word)
        raise wrong_type(raw, "one metric and its value, such as {recall: 0.95}")

    @model_serializer
    def _written(self) -> Any:
        inside: Any = self.value
        if self.metric.params:
            inside = {**self.metric.params, "value": self.value}
        return {self.metric.asked: inside}


def _metric(raw: Any, *, keyed: bool = False) -> RuleMetric:
    word, params = word_and_params(raw)
    return RuleMetric.model_validate({word: params or {}} if keyed or params is not None else word)


def _reached(metric: RuleMetric, raw: Any, *path: str) -> dict[str, Any]:
    """A metric and the value it is to reach.

    A share written as percent is refused. What is a little above 1 could be meant: no threshold
    reaches it, and the report says so.
    """
    value = _value(raw, *path)
    beyond = metric.is_corner or 1 < value < PERCENT
    faults = [] if beyond else out_of_range(metric.metric, value, path)
    if faults:
        raise refuse(*faults)
    return {"metric": metric, "value": value}


def _value(raw: Any, *path: str) -> float:
    """The value to reach, or a fault at its place."""
    try:
        return as_number(raw)
    except ValueError:
        fault = Fault(f"{path[0]} is to reach {shown(raw)}", "a number", path)
    raise refuse(fault)


class Threshold(Part):
    """A threshold: ``value`` for a number, else a rule.

    Rules: ``maximize`` or ``minimize`` a metric; reach ``at_least`` or ``at_most`` a
    value of one, while doing best on another; predict the ``top`` rows positive. A limit
    alone takes the threshold that gives up least for it: the largest that reaches a recall, the
    smallest that reaches a specificity or a precision.
    """

    value: Number | None = Field(None, description="A score; rows at or above it are positive.")
    maximize: RuleMetric | None = Field(None, description="The metric to make largest.")
    minimize: RuleMetric | None = Field(
        None, description="The metric to make smallest, or distance_to_corner (top left of ROC)."
    )
    at_least: Reach | None = Field(None, description="A metric and the least value it must reach.")
    at_most: Reach | None = Field(None, description="A metric and the largest value it may have.")
    top: ShareOrCount | None = Field(
        None, description="Predict this many rows positive: a count, or a share such as 0.1."
    )
    on: Name | None = Field(
        None, description="The dataset the rule is solved on; otherwise the rows it is applied to."
    )
    status: Literal["prespecified", "exploratory"] | None = Field(
        None, description="Whether the threshold was fixed before the data were seen."
    )

    @model_validator(mode="before")
    @classmethod
    def _read(cls, raw: Any) -> Any:
        if isinstance(raw, (int, float, Scalar)) and not isinstance(raw, bool):
            return {"value": as_number(raw)}
        if isinstance(raw, Threshold):
            return raw
        if not isinstance(raw, dict):
            rule = "a number, or a rule such as {maximize: youden_j}"
            raise wrong_type(raw, rule, number_hint(raw))
        _one_rule(raw)
        return raw

    @model_serializer(mode="wrap")
    def _written(self, handler: Any) -> Any:
        written: dict[str, Any] = {k: v for k, v in handler(self).items() if v is not None}
        return written["value"] if set(written) == {"value"} else written

    @property
    def goal(self) -> tuple[Literal["maximize", "minimize"], RuleMetric] | None:
        """What is optimised, if anything."""
        if self.maximize is not None:
            return "maximize", self.maximize
        return None if self.minimize is None else ("minimize", self.minimize)

    @property
    def limit(self) -> tuple[Literal["at_least", "at_most"], Reach] | None:
        """What has to be reached, if anything."""
        if self.at_least is not None:
            return "at_least", self.at_least
        return None if self.at_most is None else ("at_most", self.at_most)

    @property
    def metrics(self) -> tuple[tuple[str, RuleMetric], ...]:
        """The metrics of the rule, each with its key."""
        goal, limit = self.goal, self.limit
        return (
            *(() if limit is None else ((limit[0], limit[1].metric),)),
            *(() if goal is None else ((goal[0], goal[1]),)),
        )

    @property
    def text(self) -> str:
        """The threshold in words; a rule as results name it.

        >>> from evalreport.spec.scalars import Scalar
        >>> Threshold.model_validate({"at_least": {"recall": Scalar("0.95", "float")}}).text
        'recall at_least 0.95'
        """
        if self.value is not None:
            return _number(self.value)
        parts = []
        if self.limit is not None:
            word, reach = self.limit
            parts.append(f"{reach.metric.text} {word} {_number(reach.value)}")
        if self.goal is not None:
            parts.append(f"{self.goal[0]} {self.goal[1].text}")
        if self.top is not None:
            parts.append(f"top {self.top}")
        return ", ".join(parts) + (f" on {self.on}" if self.on is not None else "")


def _one_rule(raw: Mapping[str, Any]) -> None:
    """Refuse a mapping that is no rule, or several."""
    found = [key for key in KINDS if key in raw]
    if not found:
        known = {*KINDS, "on", "status"}
        if set(raw) <= known:
            raise refuse(Fault("a threshold without a rule", f"one of {', '.join(KINDS)}"))
        return
    goals = [key for key in found if key in GOALS]
    limits = [key for key in found if key in LIMITS]
    if len(found) > 1 and not (len(found) == 2 and len(goals) == 1 and len(limits) == 1):
        raise refuse(
            Fault(
                f"a threshold with {' and '.join(found)}",
                "one rule; at_least or at_most may have maximize or minimize beside it",
                (found[1],),
                at_key=True,
            )
        )
    if raw.get("maximize") in (CORNER, {CORNER: {}}):
        what = f"maximize is {CORNER}, which is least at the best threshold"
        raise refuse(Fault(what, f"minimize: {CORNER}", ("maximize",)))
    if "value" in found and "on" in raw:
        raise refuse(Fault("'on' beside a number", "remove it", ("on",), at_key=True))


def _number(value: float) -> str:
    return str(int(value)) if value.is_integer() and abs(value) < 1e16 else repr(value)
