"""results.json changed by others: told with the place that is wrong, whatever reads it."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hostile.command import Outcome, Workshop
from hostile.mutations import Mutation, mutations

from evalreport.errors import FilesError
from evalreport.results.codec import decode
from evalreport.runs.hashing import record_bytes
from evalreport.runs.manifest import parse_manifest

pytestmark = pytest.mark.long_but_first


ROWS = "y,s,t,g,i\n" + "".join(
    f"{'ab'[k % 2]},{k * 7 % 11 / 11},{k * 5 % 13 / 13},{'xy'[k % 3 == 0]},r{k}\n"
    for k in range(30)
)
MORE = """\
subgroups: [g]
comparisons: {reference: o}
acceptance:
  - {metric: accuracy, at_least: 0.1, model: m}
confidence: {resamples: 50}
prevalence: [0.1]
"""
#: Every so many of the changes are tried; a prime, so that all kinds of change are among them.
STEP = 23


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    made = Workshop(tmp_path_factory.mktemp("mutated"))
    made.file("a.csv", ROWS)
    made.spec(
        model="{score: s}\n  o: {score: t}",
        metrics="[accuracy, recall, roc_auc, brier]",
        dataset="id: i",
        more=MORE,
    )
    made.done(formats="html")
    return made


@pytest.fixture(scope="module")
def tried(workshop: Workshop) -> tuple[list[Mutation], list[Mutation]]:
    """Changes that make it no results, and changes that leave it results of another run."""
    content = Outcome(0, "", "", workshop.runs / "latest").results
    refused, taken = [], []
    for mutation in mutations(content, STEP):
        try:
            decode(mutation.content)
            taken.append(mutation)
        except FilesError:
            refused.append(mutation)
    return refused, taken


def rendered(workshop: Workshop, content: Any, formats: str = "markdown") -> Outcome:
    path = workshop.file("m.json", json.dumps(content))
    return workshop.call("render", path, "-o", workshop.folder / "out", "--formats", formats)


def names_the_place(mutation: Mutation, told: str) -> bool:
    """Whether the place that was changed is named, or where it hangs on."""
    place = mutation.name.rpartition(" ")[0] if " " in mutation.name else mutation.name
    steps = re.findall(r"[^.\[\]]+", place.split(" ")[0])
    # An id that changes is missed by what refers to it, a ledger by its dataset and model.
    missed = "which is not a table", "which is not a measure", "which have no account of rows"
    named = any(step in told for step in steps if not step.isdigit())
    return named or any(words in told for words in missed)


@pytest.mark.long
def test_what_is_no_results_is_told_with_its_place(
    workshop: Workshop, tried: tuple[list[Mutation], list[Mutation]]
) -> None:
    refused, _ = tried
    assert len(refused) >= 200
    assert len({mutation.first for mutation in refused}) > 15
    for mutation in refused:
        found = rendered(workshop, mutation.content)
        assert found.status in (2, 3, 4, 5), (mutation.name, found.err)
        assert "m.json" in found.err, mutation.name
        assert names_the_place(mutation, found.err), (mutation.name, found.err)


@pytest.mark.long
def test_results_of_another_run_are_drawn(
    workshop: Workshop, tried: tuple[list[Mutation], list[Mutation]]
) -> None:
    _, taken = tried
    assert len(taken) > 40
    for mutation in taken:
        found = rendered(workshop, mutation.content, "markdown,csv,junit,latex,model_index")
        assert found.status == 0, (mutation.name, found.err)
    for mutation in taken[::8]:
        found = rendered(workshop, mutation.content, "html")
        # A section that cannot be made says so; the others stand.
        assert found.status in (0, 1), (mutation.name, found.err)
        assert (found.status == 1) == ("FAILED" in found.err), mutation.name


def signed_again(run: Path, content: Any, to: Path) -> Path:
    """A copy of a run with other results, its manifest made to fit: no history beside it."""
    shutil.copytree(run, to)
    data = json.dumps(content, sort_keys=True).encode()
    (to / "results.json").write_bytes(data)
    manifest = parse_manifest((run / "MANIFEST.json").read_bytes())
    outputs = {**manifest.outputs, "results.json": record_bytes(data)}
    (to / "MANIFEST.json").write_bytes(replace(manifest, outputs=outputs).to_bytes())
    return to


@pytest.mark.long
def test_verify_and_diff_say_where_results_are_none(
    workshop: Workshop, tried: tuple[list[Mutation], list[Mutation]], tmp_path: Path
) -> None:
    run = (workshop.runs / "latest").resolve()
    for place, mutation in enumerate(tried[0][::12]):
        changed = signed_again(run, mutation.content, tmp_path / str(place) / "run")
        found = workshop.call("verify", changed)
        assert found.status == 5, (mutation.name, found.err)
        assert names_the_place(mutation, found.err), (mutation.name, found.err)
        found = workshop.call("diff", run, changed)
        assert found.status in (4, 5), (mutation.name, found.err)
        assert "results.json" in found.err, mutation.name


@pytest.mark.long
def test_history_goes_on_over_results_that_are_none(
    workshop: Workshop, tried: tuple[list[Mutation], list[Mutation]], tmp_path: Path
) -> None:
    """A run whose results cannot be read stays in the list and says so."""
    for place, mutation in enumerate(tried[0][::40]):
        runs = tmp_path / str(place)
        shutil.copytree(workshop.runs, runs, symlinks=True)
        run = (runs / "latest").resolve()
        content = json.dumps(mutation.content).encode()
        (run / "results.json").write_bytes(content)
        found = workshop.call("history", runs, "--html", tmp_path / f"site{place}")
        assert found.status in (0, 4, 5), (mutation.name, found.err)
        assert workshop.call("history", runs).status in (0, 4, 5)


BROKEN = {
    "empty": b"",
    "no object": b"[]",
    "no JSON": b"{",
    "not UTF-8": b'{"schema": "\xff"}',
    "not a number": b'{"schema": "evalreport/results/1", "measures": NaN}',
    "a key twice": b'{"schema": "evalreport/results/1", "title": "a", "title": "b"}',
    "nested": b"[" * 100_000,
    "another schema": b'{"schema": "evalreport/results/2"}',
    "a schema that is a list": b'{"schema": []}',
    "a long number": b'{"schema": "evalreport/results/1", "n": ' + b"9" * 5000 + b"}",
    "half a character": b'{"schema": "evalreport/results/1", "title": "\\ud800"}',
}  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(BROKEN))
@pytest.mark.parametrize("command", ["render", "verify", "diff"])
def test_what_is_no_json(workshop: Workshop, tmp_path: Path, name: str, command: str) -> None:
    run = tmp_path / "run"
    run.mkdir()
    (run / "results.json").write_bytes(BROKEN[name])
    arguments: list[str | Path] = {
        "render": [run / "results.json", "-o", tmp_path / "out"],
        "verify": [run],
        "diff": [run, workshop.runs / "latest"],
    }[command]
    found = workshop.call(command, *arguments)
    assert found.status in (2, 4, 5), found.err
    assert str(run) in found.err


def test_what_is_no_file(workshop: Workshop, tmp_path: Path) -> None:
    import os

    os.mkfifo(tmp_path / "results.json")
    for path in (tmp_path / "results.json", tmp_path, tmp_path / "absent.json"):
        found = workshop.call("render", path, "-o", tmp_path / "out")
        assert found.status == 4, found.err
        assert str(path) in found.err
