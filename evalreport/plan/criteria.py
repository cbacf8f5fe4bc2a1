"""The acceptance criteria of a spec in words: what the plan prints, and what its hash covers."""

from __future__ import annotations

from evalreport.plan.from_spec import threshold_text
from evalreport.spec.acceptance import Criterion
from evalreport.spec.claims import ClaimCriterion
from evalreport.spec.comparisons import DatasetReference, Reference, RunReference
from evalreport.spec.model import Spec


def criteria_words(spec: Spec) -> tuple[str, ...]:
    """Every criterion, with everything that it fixes beforehand."""
    return tuple(criterion_words(criterion) for criterion in spec.acceptance)


def criterion_words(asked: Criterion | ClaimCriterion) -> str:
    """One criterion, with everything that it fixes beforehand."""
    if isinstance(asked, ClaimCriterion):
        return f"every claim is {asked.outcome}"
    limit = {"point": "", "lower": "lower limit of ", "upper": "upper limit of "}[asked.bound]
    params = ", ".join(f"{key}={value}" for key, value in dict(asked.metric.params).items())
    name = f"{asked.metric.metric.name}({params})" if params else asked.metric.metric.name
    if asked.average not in (None, "none"):
        name = f"{asked.average} {name}"
    if asked.label is not None:
        name = f"{name} of {asked.label}"
    place = [f"{key} {value}" for key, value in (
        ("dataset", asked.dataset), ("model", asked.model), ("threshold", threshold_text(asked)),
    ) if value is not None]  # fmt: skip
    if asked.subgroup is not None:
        place.append(_group(asked.subgroup))
    where = f", {', '.join(place)}" if place else ""
    by = "" if asked.method is None else f" by {asked.method}"
    return f"{limit}{name}{where} {_required(asked)}{by}"


def _group(subgroup: object) -> str:
    if isinstance(subgroup, str):
        return "each subgroup"
    return " and ".join(f"{column} = {value}" for column, value in dict(subgroup).items())  # type: ignore[call-overload]


def _required(asked: Criterion) -> str:
    if asked.at_least is not None:
        return f">= {asked.at_least:g}"
    if asked.at_most is not None:
        return f"<= {asked.at_most:g}"
    margin = f" by more than {asked.margin:g}" if asked.margin else ""
    return f"no worse than {_against(asked.reference)}{margin}"


def _against(reference: Reference | None) -> str:
    if isinstance(reference, DatasetReference):
        return f"dataset {reference.dataset}"
    if isinstance(reference, RunReference):
        return f"run {reference.run}"
    return f"model {reference}"
