"""The caution that labels, scores or columns have moved from the reference of the spec."""

from __future__ import annotations

from collections.abc import Iterator

from evalreport.engine.cautions.declare import Caution, caution
from evalreport.engine.cautions.facts import RunFacts
from evalreport.engine.cautions.wording import name
from evalreport.numbers import value_text
from evalreport.results.records import Drift


@caution(
    "drift",
    severity="note",
    title="The data differ from the reference",
    why="values measured on other data need not apply to these, and thresholds may need to change",
    read_instead="the section on drift, and the measures of these rows beside those of the "
    "reference",
)
def drift(run: RunFacts) -> Iterator[Caution]:
    """A stability index reaches the note or warning of the spec, beyond what chance explains."""
    note, warning = run.drift_limits
    most = 1.0 - run.settings.level
    for record in run.drift:
        psi, chance = record.psi, record.psi_p_value
        if psi is not None and chance is not None and psi >= note and chance < most:
            expected = value_text(record.psi_expected or 0.0)
            message = (
                f"{_what(record)}: population stability index {value_text(psi)} against "
                f"{record.reference}; about {expected} would come by chance from this many rows."
            )
            severe = psi >= warning
        elif psi is None and record.p_value is not None and record.p_value < most:
            message = f"{_what(record)}, against {record.reference}: {record.psi_reason}."
            severe = True
        else:
            continue
        yield Caution(
            message,
            dataset=record.dataset,
            model=record.model,
            numbers={"psi": psi, "p_value": chance if psi is not None else record.p_value},
            severity="warning" if severe else "note",
        )


def _what(record: Drift) -> str:
    if record.of == "labels":
        return "Labels"
    if record.of == "scores":
        return f"Scores of {name(str(record.label))}"
    return f"The column {name(str(record.column))}"
