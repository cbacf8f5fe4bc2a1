"""Acceptance criteria as JUnit XML, which build servers show as tests."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement, tostring

from evalreport.report.wording import in_words
from evalreport.report.words import prose, subgroup_name
from evalreport.results.lookup import Results
from evalreport.results.records import CONTINUE, NOT_HELD, Criterion


def criteria_junit(results: Results) -> bytes:
    """One test case per criterion and place: failed, or an error where not evaluated.

    A criterion that continues is skipped: neither passed nor failed before a further look.
    """
    entries = in_words(results).acceptance
    failed = sum(e.outcome in NOT_HELD for e in entries)
    none = sum(e.outcome == "not_evaluated" for e in entries)
    going_on = sum(e.outcome == CONTINUE for e in entries)
    suite = Element(
        "testsuite",
        {
            "name": prose(results.title),
            "tests": str(len(entries)),
            "failures": str(failed),
            "errors": str(none),
            **({"skipped": str(going_on)} if going_on else {}),
            "timestamp": results.provenance.at,
        },
    )
    for entry in entries:
        _case(suite, entry)
    body: bytes = tostring(suite, encoding="utf-8", xml_declaration=True)
    return body + b"\n"


def _case(suite: Element, entry: Criterion) -> None:
    group = f" [{subgroup_name(entry.subgroup)}]" if entry.subgroup else ""
    case = SubElement(
        suite,
        "testcase",
        {
            "classname": prose(f"{entry.dataset}.{entry.model}"),
            "name": prose(f"{entry.criterion}. {entry.text}{group}"),
        },
    )
    if entry.outcome == "fail":
        SubElement(
            case,
            "failure",
            {
                "message": f"observed {entry.observed!r}, required {entry.required!r}",
            },
        )
    elif entry.outcome in NOT_HELD:
        SubElement(case, "failure", {"message": prose(entry.reason or entry.outcome)})
    elif entry.outcome == "not_evaluated":
        SubElement(case, "error", {"message": prose(entry.reason or "not evaluated")})
    elif entry.outcome == CONTINUE:
        message = f"continue: look {entry.look}, nothing is decided yet"
        SubElement(case, "skipped", {"message": message})
