"""How every series stands, as a page: the most harmful first."""

from __future__ import annotations

from collections.abc import Iterator

from evalreport.report.columns import Column, left, right
from evalreport.report.model import Block, Note, Notes, Text
from evalreport.report.pages import Page, part, stamp, table
from evalreport.report.run_words import look_text, status_text
from evalreport.report.words import counted, listed, visible
from evalreport.results.watch import CALLING, Watch, Watched

#: How a state is stamped on the page.
_STAMP = {**dict.fromkeys(CALLING, "fail"), "continues": "continue", "passed": "pass"}


def watch_page(found: Watch, version: str = "") -> Page:
    """A line for each series, the most harmful first, below the number of each state."""
    columns: list[Column[Watched]] = [
        left("series", _name),
        left("state", lambda one: stamp(_STAMP.get(one.state, "none"), one.state)),
        right("next due", lambda one: str(one.due or "–")[:10]),
        left("what is known", sentence),
    ]
    if len(found.unreadable) > 1:
        columns.insert(1, left("folder", lambda one: visible(one.folder)))
    lines = table(
        "Most harmful first", found.series, columns, hook=lambda one: ("series", _name(one))
    )
    meaning = (
        "Failing: criteria were not met. Broken: every attempt since the newest run ended with "
        "status 2, 3 or 4. Late: no run since one was due. Continues: planned looks have decided "
        "nothing yet."
    )
    blocks: list[Block] = [lines, Text(meaning, "small")]
    if any(found.unreadable.values()):
        problems = tuple(Note("warning", "", text, ()) for text in _unreadable(found))
        blocks.insert(0, Notes("Histories that are not as they were written", problems, "brief"))
    shown = part("series", "Series", *blocks, intro=f"{summary(found)}.")
    return Page("Status of every series", "Audits over time", version, (shown,))


def _name(one: Watched) -> str:
    return visible(one.series or "(no name)")


def summary(found: Watch) -> str:
    """How many series are in which state, in a sentence."""
    states = [f"{count} {state}" for state, count in found.states.items() if count]
    return f"{counted(len(found.series), 'series', 'series')} at {found.at}: {listed(states)}"


def _unreadable(found: Watch) -> Iterator[str]:
    for folder, count in found.unreadable.items():
        if count:
            lines = counted(count, "line")
            yield f"{folder}: {lines} of its history cannot be read: evalreport verify {folder}"


def sentence(one: Watched) -> str:
    """What is known of a series: since when, how often, what was tried, when it was due."""
    parts = ["no run yet" if one.outcome is None else _outcome(one)]
    if one.attempt is not None:
        broken = one.state == "broken"
        times = (
            f"{counted(one.times, 'attempt')} since {one.since[:10]}, the last" if broken else ""
        )
        parts.append(f"{times or 'the last attempt'} ended with {status_text(one.attempt)}")
    if one.late_days:
        days = counted(round(one.late_days), "day")
        parts.append(f"due {str(one.due)[:10]} ({one.cadence}), {days} ago")
    return "; ".join([*parts, *dict.fromkeys(map(look_text, one.looks))])


def _outcome(one: Watched) -> str:
    """What its newest run came to, and since when."""
    words = {"done": "done, with no criteria", "continue": "to be continued"}
    outcome = words.get(str(one.outcome)) or visible(str(one.outcome))
    failed = f", {counted(one.failed, 'criterion', 'criteria')}" if one.failed else ""
    in_a_row = one.state in ("failing", "continues") and one.times > 1
    since = f" since {one.since[:10]}, {one.times} runs in a row" if in_a_row else ""
    return f"{outcome}{failed} on {str(one.when)[:10]}{since}"
