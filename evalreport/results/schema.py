"""The JSON Schema of ``results.json``, derived from the records."""

from __future__ import annotations

from typing import Any

from evalreport.results.forms import definitions, form_of
from evalreport.results.lookup import Results


def results_schema() -> dict[str, Any]:
    """The schema, draft 7. Every record is described whole: it has no other keys."""
    known = definitions(form_of(Results))
    whole = known.pop(Results.__name__)
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "evalreport results",
        **whole,
        "definitions": {name: known[name] for name in sorted(known)},
    }
