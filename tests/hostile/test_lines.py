"""Names that bring lines of their own: none reaches a terminal or a log as one."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from hostile.command import Outcome, Workshop, command

from evalreport.cli.asking import annotation
from evalreport.errors import DataError, Location, Problem
from evalreport.lines import json_text, one_line

#: What a spec may hold; and what a file of data may hold besides.
IN_SPEC = "\n::error::forged ##[error]x"
IN_DATA = "\n::error::forged\r::warning::forged\x1b[2J\x9b31m\u2028::error::x\u202e##vso[task.x]"
#: What a runner takes for a command, and what acts on a terminal.
COMMAND = re.compile(r"^\s*::(?!error file=|warning file=)|##\[|##vso\[", re.MULTILINE)
ACTING = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e]")


def data() -> str:
    out = io.StringIO()
    rows = csv.writer(out)
    rows.writerow([f"y{IN_SPEC}", f"p{IN_SPEC}", "s", f"g{IN_SPEC}", f"more{IN_DATA}"])
    for i in range(40):
        said = [f"a{IN_DATA}" if i % k else "b" for k in (2, 3)]
        rows.writerow([*said, str(i / 40), f"f{IN_DATA}" if i % 4 else "m", "z"])
    return out.getvalue()


def spec(**changes: Any) -> str:
    """A spec whose every name breaks the line."""
    found: dict[str, Any] = {
        "evalreport": 1,
        "title": f"t{IN_SPEC}",
        "datasets": {f"d{IN_SPEC}": {"path": f"d{IN_SPEC}.csv", "target": f"y{IN_SPEC}"}},
        "models": {f"m{IN_SPEC}": {"prediction": f"p{IN_SPEC}"}, f"k{IN_SPEC}": {"score": "s"}},
        "metrics": ["accuracy", "recall", "roc_auc"],
        "subgroups": [f"g{IN_SPEC}"],
        "acceptance": [{"metric": "accuracy", "at_least": 0.99, "model": f"m{IN_SPEC}"},
                       {"metric": "roc_auc", "at_least": 0.99}],
        "comparisons": {"reference": f"m{IN_SPEC}"},
        "confidence": {"resamples": 100},
    }  # fmt: skip
    return json.dumps(found | changes)


@pytest.fixture
def prepared(workshop: Workshop) -> Workshop:
    workshop.file(f"d{IN_SPEC}.csv", data())
    workshop.spec(spec())
    return workshop


def inert(found: Outcome) -> Outcome:
    for text in (found.out, found.err):
        assert not COMMAND.search(text), COMMAND.search(text)
        assert not ACTING.search(text), ACTING.search(text)
    return found


def test_a_run_and_all_that_is_said_of_it(prepared: Workshop) -> None:
    path = prepared.folder / "spec.yaml"
    told = inert(prepared.call("run", path, "-o", prepared.runs, "--formats", "json"))
    assert told.status == 1
    assert r"\n::error::forged" in told.out
    assert r"\n::error::forged" in told.err
    many = ("run", path, path, "-o", prepared.runs, "--formats", "json", "--jobs", "1")
    assert inert(prepared.call(*many)).status == 1
    as_json = inert(prepared.call("run", path, "-o", prepared.runs, "--formats", "json", "--json"))
    assert json.loads(as_json.out)["title"] == f"t{IN_SPEC}"
    assert inert(prepared.call("plan", path)).status == 0
    plan = inert(prepared.call("plan", path, "--json"))
    assert IN_SPEC in json.dumps(json.loads(plan.out), ensure_ascii=False).replace("\\n", "\n")
    run = prepared.runs / "latest"
    for words in (("history", prepared.runs), ("history", prepared.runs, "--json"),
                  ("diff", run, run), ("diff", run, run, "--json"), ("verify", prepared.runs)):  # fmt: skip
        assert inert(prepared.call(*words)).status == 0


MISTAKES: dict[str, dict[str, Any]] = {
    "key": {f"nope{IN_SPEC}": 3},
    "metric": {"metrics": [f"acc{IN_SPEC}"]},
    "column": {"models": {f"w{IN_SPEC}": {"prediction": f"zz{IN_SPEC}"}}},
    "column with more": {"models": {f"w{IN_SPEC}": {"score": f"more{IN_SPEC}"}}},
    "class": {"models": {f"w{IN_SPEC}": {"estimator": f"sklearn.x{IN_SPEC}"}}},
    "model": {"models": {"w": {"skops": f"no{IN_SPEC}.skops", "features": ["s"]}}},
    "file": {"datasets": {"d": {"path": f"no{IN_SPEC}.csv", "target": "y"}}},
    "template": {"report": {"template": f"nope{IN_SPEC}"}},
    "positive class": {"positive": {"label": f"zzz{IN_SPEC}"}},
    "no number": {"models": {f"m{IN_SPEC}": {"score": f"p{IN_SPEC}"}}},
    "scheme": {"cross_validation": {"scheme": f"x{IN_SPEC}"}},
    "reference": {"comparisons": {"reference": f"absent{IN_SPEC}"}},
    "database": {"datasets": {"d": {"path": {"sql": f"SELEC{IN_SPEC}", "database": "no.db"},
                                    "target": "y"}}},
    "threshold": {"thresholds": [{"maximize": f"x{IN_SPEC}"}]},
}  # fmt: skip


@pytest.mark.parametrize("mistake", sorted(MISTAKES))
def test_mistakes_stay_on_their_lines(prepared: Workshop, mistake: str) -> None:
    path = prepared.spec(spec(**MISTAKES[mistake]))
    checked = inert(prepared.call("check", path))
    marked = inert(prepared.call("check", "--format", "github", path))
    run = inert(prepared.run())
    assert run.status in (1, 2, 3, 4)
    lines = checked.err.splitlines()
    assert all(line.startswith((str(path), "spec.yaml", "d", "no", "m", "/")) for line in lines)
    commands = [line for line in marked.out.splitlines() if line.startswith("::error ")]
    assert len(commands) == (len(lines) if checked.status else 0)


def test_names_of_files_and_options(prepared: Workshop) -> None:
    """A pattern of the shell hands over what strangers called their files."""
    wrong = prepared.file(f"wrong{IN_SPEC}.yaml", spec(metrics=["nope"]))
    first = prepared.file("::error ::first.yaml", spec(metrics=["nope"]))
    for words in (
        ("check", wrong), ("check", first.name), ("check", wrong, first), ("run", wrong),
        ("run", wrong, first.name, "--jobs", "1"), ("render", f"no{IN_SPEC}.json"),
        ("diff", f"no{IN_SPEC}", "x"), ("verify", f"no{IN_SPEC}"), (f"frob{IN_SPEC}",),
        ("metrics", f"x{IN_SPEC}"), ("run", wrong, "--set", f"a{IN_SPEC}=3"),
        ("run", wrong, "--formats", f"a{IN_SPEC}"), ("run", wrong, "--trust", f"a{IN_SPEC}"),
        ("init", prepared.folder / f"d{IN_SPEC}.csv", "-o", prepared.folder / f"new{IN_SPEC}.yaml"),
    ):  # fmt: skip
        inert(prepared.call(*words))


@pytest.mark.long
def test_in_processes_of_their_own(prepared: Workshop) -> None:
    wrong = f"p{IN_SPEC}"
    prepared.file("other.yaml", spec(models={f"m{IN_SPEC}": {"score": wrong}}))
    done = command("run", "spec.yaml", "other.yaml", "--formats", "json", "--jobs", "2",
                   cwd=prepared.folder)  # fmt: skip
    inert(Outcome(done.returncode, done.stdout, done.stderr, Path()))
    assert "is not a number" in done.stderr


def test_the_errors_of_the_library_are_one_line_each() -> None:
    error = DataError(Problem(f"a{IN_DATA}", f"b{IN_DATA}", Location(f"f{IN_DATA}", 3)), "second")
    assert len(str(error).splitlines()) == 2
    assert not ACTING.search(str(error).replace("\n", ""))


def test_what_is_spelt_out_and_what_stays() -> None:
    assert one_line("größer − 東京 ## [x] a::b # é\u0301") == "größer − 東京 ## [x] a::b # é\u0301"
    assert one_line(" ::error::x") == r" \x3a:error::x"
    assert one_line("\ud800\u202e\ufeff\t") == r"\ud800\u202e\ufeff\t"
    assert one_line(one_line(IN_DATA)) == one_line(IN_DATA)
    for body in ({IN_DATA: [IN_DATA]}, "\ud800", "größer"):
        assert json.loads(json_text(body, 1)) == body
        assert not ACTING.search(json_text(body, 1).replace("\n", ""))
        assert not COMMAND.search(json_text(body))
    marked = annotation(Problem(IN_DATA, where=Location(IN_DATA, 1)))
    assert len(marked.splitlines()) == 1
    assert not ACTING.search(marked)
