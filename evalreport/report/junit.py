"""Acceptance criteria as JUnit XML, which build servers show as tests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from xml.etree.ElementTree import Element, SubElement, tostring

from evalreport.report.wording import in_words
from evalreport.report.words import prose, subgroup_text


def criteria_junit(results: Mapping[str, Any]) -> bytes:
    """One test case per criterion and place: failed, or an error where not evaluated."""
    entries = in_words(results)["acceptance"]
    counts = {
        word: sum(e["outcome"] == word for e in entries) for word in ("fail", "not_evaluated")
    }
    suite = Element(
        "testsuite",
        {
            "name": prose(results["title"]),
            "tests": str(len(entries)),
            "failures": str(counts["fail"]),
            "errors": str(counts["not_evaluated"]),
            "timestamp": str(results["provenance"]["at"]),
        },
    )
    for entry in entries:
        _case(suite, entry)
    body: bytes = tostring(suite, encoding="utf-8", xml_declaration=True)
    return body + b"\n"


def _case(suite: Element, entry: Mapping[str, Any]) -> None:
    group = f" [{subgroup_text(entry['subgroup'])}]" if entry["subgroup"] else ""
    case = SubElement(
        suite,
        "testcase",
        {
            "classname": prose(f"{entry['dataset']}.{entry['model']}"),
            "name": prose(f"{entry['criterion']}. {entry['text']}{group}"),
        },
    )
    if entry["outcome"] == "fail":
        SubElement(
            case,
            "failure",
            {
                "message": f"observed {entry['observed']!r}, required {entry['required']!r}",
            },
        )
    elif entry["outcome"] == "not_evaluated":
        SubElement(case, "error", {"message": prose(entry["reason"] or "not evaluated")})
