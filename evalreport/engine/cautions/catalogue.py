"""Every declared caution, in the order of its family: as values, and as rows of text."""

from __future__ import annotations

import importlib
from functools import cache

from evalreport.engine.cautions.declare import CAUTIONS, Declared
from evalreport.errors import Problem, did_you_mean

#: Modules that declare cautions; a new module of declarations is added here once.
DECLARING = (
    "data",
    "findings",
    "tables",
    "scores",
    "probabilities",
    "chance",
    "comparisons",
    "subgroups",
    "drift",
    "courses",
    "schedule",
    "process",
)


@cache
def catalogue() -> tuple[Declared, ...]:
    """All cautions in the order they are declared."""
    for module in DECLARING:
        importlib.import_module(f"evalreport.engine.cautions.{module}")
    families = {f"evalreport.engine.cautions.{module}": k for k, module in enumerate(DECLARING)}
    # sorted is stable: within a family the order of declaration stays
    return tuple(sorted(CAUTIONS.values(), key=lambda c: families.get(c.check.__module__, 99)))


def known_codes() -> tuple[str, ...]:
    """The codes of all cautions, in the order of the catalogue."""
    return tuple(declared.code for declared in catalogue())


def code_problem(code: str) -> Problem | None:
    """What is wrong with the code of a caution to be switched off, or None.

    >>> code_problem("imbalance") is None
    True
    >>> str(code_problem("imbalanced"))
    "there is no caution 'imbalanced'; did you mean 'imbalance'?"
    """
    if code in known_codes():
        return None
    return Problem(f"there is no caution {code!r}", did_you_mean(code, known_codes(), "cautions"))


def rows() -> list[dict[str, str]]:
    """One row per caution: code, severity, title, why, and what to read instead.

    >>> rows()[0]["code"], rows()[0]["severity"]
    ('imbalance', 'note')
    """
    return [
        {
            "code": declared.code,
            "severity": declared.severity,
            "title": declared.title,
            "when": (declared.check.__doc__ or "").strip(),
            "why": declared.why,
            "read_instead": declared.read_instead,
        }
        for declared in catalogue()
    ]
