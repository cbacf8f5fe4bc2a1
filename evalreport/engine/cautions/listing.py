"""The catalogue as rows of text, for ``evalreport cautions`` and the documentation."""

from __future__ import annotations

from evalreport.engine.cautions.catalogue import catalogue


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
