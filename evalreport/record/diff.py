"""What changed between two runs, from their results and the rows that they kept.

- diff_spec: keys of the spec; versions
- diff_data: files, rows, labels, scores
- diff_rows, diff_pairs: rows paired by id, and measures compared on them
- diff_measures: every measure, and whether its difference is beyond chance
- diff_text: the same in words
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from evalreport.metrics.recorded import series_key
from evalreport.record.diff_data import file_changes, row_changes, score_changes
from evalreport.record.diff_measures import Pairs, measure_changes
from evalreport.record.diff_pairs import paired_changes
from evalreport.record.diff_rows import Said, pair_rows, read_rows
from evalreport.record.diff_spec import spec_changes, version_changes
from evalreport.record.diff_text import describe, describe_markdown
from evalreport.record.recorded import RecordedRun, read_recorded

__all__ = ["describe", "describe_markdown", "differences", "differences_of", "is_same"]

SCHEMA = "evalreport/diff/1"


def differences(old: Path, new: Path) -> dict[str, Any]:
    """What changed between two published runs, as plain data.

    Raises FilesError where there are no results, VerificationError where they were altered.
    """
    kept = read_rows(old), read_rows(new)
    return differences_of(read_recorded(old), read_recorded(new), kept)


def differences_of(
    old: RecordedRun,
    new: RecordedRun,
    kept: tuple[Mapping[str, Any] | None, Mapping[str, Any] | None] = (None, None),
) -> dict[str, Any]:
    """What changed between two runs that have been read, as plain data.

    ``kept`` is what each of them kept of its rows.
    """
    one, two = old.results, new.results
    by_id, said = pair_rows(*kept)
    files = file_changes(one, two)
    same_rows = {entry["dataset"]: entry["same"] for entry in files}
    measures = measure_changes(one["measures"], two["measures"], same_rows, _pairs(said, one, two))
    criteria = _criteria(one["acceptance"], two["acceptance"])
    found = {
        "schema": SCHEMA,
        "old": _run(old),
        "new": _run(new),
        "spec": spec_changes(one.get("spec") or {}, two.get("spec") or {}),
        "versions": version_changes(one["provenance"], two["provenance"]),
        "files": files,
        "rows": row_changes(one, two),
        "rows_by_id": by_id,
        "scores": score_changes(one, two),
        "measures": measures,
        "criteria": criteria,
        "cautions": _cautions(one, two),
    }
    return {**found, "summary": _summary(found)}


def _pairs(
    said: Mapping[tuple[str, str], Said], one: Mapping[str, Any], two: Mapping[str, Any]
) -> Pairs:
    """The shared rows of each dataset and model, compared as two models on them are."""
    compared = {}
    confidence = (two.get("spec") or {}).get("confidence") or {}
    for place, own in said.items():
        sides = [
            [
                m
                for m in results["measures"]
                if (m["dataset"], m["model"]) == place and not m["subgroup"] and m["fold"] is None
            ]
            for results in (one, two)
        ]
        compared[place] = paired_changes(own, sides[0], sides[1], confidence)
    return Pairs(said, compared)


def _run(run: RecordedRun) -> dict[str, Any]:
    spec = (run.results.get("provenance") or {}).get("spec") or {}
    return {
        "run": run.name,
        "at": run.at,
        "title": run.results.get("title"),
        "results_sha256": run.sha256,
        "spec_sha256": spec.get("sha256"),
    }


def _criteria(
    old: Sequence[Mapping[str, Any]], new: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    before, after = ({_criterion_key(c): c for c in side} for side in (old, new))
    gone = {key: c for key, c in before.items() if key not in after}
    found = []
    for key in dict.fromkeys([*after, *before]):
        was, now = before.get(key), after.get(key)
        if was is None and now is not None:
            # a criterion on the same number whose limit is another is the same one, changed
            match = next((k for k, c in gone.items() if _about(c) == _about(now)), None)
            was = None if match is None else gone.pop(match)
        elif now is None and key not in gone:
            continue
        either = now or was or {}
        change = (
            "added"
            if was is None
            else "removed"
            if now is None
            else "changed"
            if was["text"] != now["text"]
            else ("same" if was["outcome"] == now["outcome"] else "flipped")
        )
        found.append(
            {
                **{k: either.get(k) for k in ("text", "dataset", "model", "subgroup")},
                "threshold": either.get("threshold_asked"),
                "change": change,
                "old_text": None if was is None else was["text"],
                "old": None if was is None else was["outcome"],
                "new": None if now is None else now["outcome"],
                "observed": [(c or {}).get("observed") for c in (was, now)],
                "reason": None if now is None else now.get("reason"),
            }
        )
    return found


def _about(entry: Mapping[str, Any]) -> str:
    """Which number a criterion is on, whatever it requires of it."""
    names = ("metric", "params", "dataset", "model", "subgroup", "threshold_asked")
    return json.dumps([entry.get(name) or None for name in names], sort_keys=True)


def is_same(found: Mapping[str, Any]) -> bool:
    """Whether nothing that a diff tells has changed: spec, versions, data, numbers, judgements."""
    told = found["summary"]
    counts = ("spec", "versions", "differ", "added", "removed", "new_cautions", "cleared_cautions")
    states = (
        m["old"]["state"] == m["new"]["state"] for m in found["measures"] if m["change"] == "both"
    )
    files = (f["same"] is not False and f["old"] and f["new"] for f in found["files"])
    rows = (entry["rows"]["used"][0] == entry["rows"]["used"][1] for entry in found["rows"])
    criteria = (entry["change"] == "same" for entry in found["criteria"])
    return not any(told[name] for name in counts) and all((*states, *files, *rows, *criteria))


def _criterion_key(entry: Mapping[str, Any]) -> str:
    names = ("text", "metric", "dataset", "model", "subgroup", "threshold_asked")
    return json.dumps([entry.get(name) for name in names], sort_keys=True)


def _cautions(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, list[dict[str, Any]]]:
    before, after = (_by_caution(side) for side in (old, new))
    return {
        "new": [dict(after[key]) for key in after if key not in before],
        "cleared": [dict(before[key]) for key in before if key not in after],
    }


def _by_caution(results: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Cautions by what they are about: ids of measures and tables are of one run only."""
    measures = {m["id"]: series_key(m) for m in results["measures"]}
    found: dict[str, Mapping[str, Any]] = {}
    for caution in results["cautions"]:
        about = measures.get(str(caution.get("measure")))
        parts = [caution["code"], caution.get("dataset"), caution.get("model"), about]
        key = json.dumps(parts)
        while key in found:
            # several of one kind: told apart by their order
            key += "'"
        found[key] = caution
    return found


def _summary(found: Mapping[str, Any]) -> dict[str, int]:
    measures = found["measures"]

    def count(holds: Callable[[Mapping[str, Any]], bool], entries: Any = measures) -> int:
        return sum(1 for entry in entries if holds(entry))

    return {
        "spec": len(found["spec"]),
        "versions": len(found["versions"]),
        "files": count(lambda f: f["same"] is not True, found["files"]),
        "measures": len(measures),
        "differ": count(lambda m: bool(m["difference"])),
        "tested": count(lambda m: m["beyond_chance"] is not None),
        "beyond_chance": count(lambda m: m["beyond_chance"] is True),
        "added": count(lambda m: m["change"] == "added"),
        "removed": count(lambda m: m["change"] == "removed"),
        "flipped": count(lambda c: c["change"] == "flipped", found["criteria"]),
        "new_cautions": len(found["cautions"]["new"]),
        "cleared_cautions": len(found["cautions"]["cleared"]),
    }
