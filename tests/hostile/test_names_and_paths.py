"""Names that are no text, and paths of the caller's machine: neither ends a run or leaves it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hostile.command import Workshop, spec_text
from hostile.conftest import CATS

pytestmark = pytest.mark.long_but_first


ODD = os.fsdecode(b"sp\xffec.yaml")


@pytest.mark.long
def test_a_spec_whose_name_is_no_text(workshop: Workshop) -> None:
    (workshop.folder / ODD).write_text(spec_text())
    for command in ("check", "plan"):
        assert workshop.call(command, workshop.folder / ODD).status == 0
    found = workshop.call("run", workshop.folder / ODD, "-o", workshop.runs, "--quiet",
                          "--formats", "html,markdown,junit,csv")  # fmt: skip
    assert found.status == 0, found.err
    assert found.results["provenance"]["spec"]["name"] == "sp\\xffec.yaml"
    assert workshop.call("verify", found.latest).status == 0
    again = workshop.call("verify", found.latest, "--rerun", "--spec", workshop.folder / ODD)
    assert again.status == 0, again.err


def test_files_and_folders_whose_names_are_no_text(workshop: Workshop) -> None:
    folder = workshop.folder / "rows" / os.fsdecode(b"k=\xff")
    folder.mkdir(parents=True)
    (folder / os.fsdecode(b"a\xfe.csv")).write_text(CATS)
    workshop.spec(path="rows/", more="subgroups: [k]")
    found = workshop.done(formats="html")
    assert {str(m["subgroup"].get("k")) for m in found.results["measures"]} == {"None", "\\xff"}
    manifest = json.loads((found.latest / "MANIFEST.json").read_text())
    assert [one["name"] for one in manifest["inputs"]] == ["d: k=\\xff/a\\xfe.csv"]


@pytest.mark.long
@pytest.mark.parametrize("name", [b"ru\xffns", b"ru\nns"])
def test_a_folder_of_runs_whose_name_is_no_text(workshop: Workshop, name: bytes) -> None:
    workshop.spec()
    runs = workshop.folder / os.fsdecode(name)
    assert workshop.call("run", workshop.folder / "spec.yaml", "-o", runs).status == 0
    for arguments in (["history", runs], ["verify", runs], ["verify", runs / "latest"]):
        assert workshop.call(*arguments).status == 0


def test_no_spec_is_begun_for_a_name_that_it_cannot_hold(workshop: Workshop) -> None:
    path = workshop.folder / os.fsdecode(b"d\xff.csv")
    path.write_text(CATS)
    found = workshop.call("init", path)
    assert found.status == 2
    assert "no spec can name this file" in found.err


@pytest.mark.long
def test_a_path_given_with_set_is_named_by_its_last_part(
    workshop: Workshop, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Data, template and logo of somewhere else on the machine: no output says where."""
    secret = tmp_path_factory.mktemp("SECRET-PLACE")
    (secret / "rows.csv").write_text(CATS)
    (secret / "mine").mkdir()
    (secret / "mine" / "style.css").write_text("body{color:black}")
    (secret / "logo.svg").write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><rect width="1" height="1"/></svg>'
    )
    workshop.spec()
    sets = [
        f"datasets.d.path={secret}/rows.csv",
        f"report.template={secret}/mine",
        f"report={{logo: {secret}/logo.svg, template: {secret}/mine, formats: [html]}}",
    ]
    given = [word for text in (sets[0], sets[2]) for word in ("--set", text)]
    found = workshop.done(*given, formats="html,pdf,markdown")
    for path in Path(found.latest).iterdir():
        assert b"SECRET-PLACE" not in path.read_bytes(), path.name
    assert b"SECRET-PLACE" not in (workshop.runs / "history.jsonl").read_bytes()
    assert found.results["provenance"]["spec"]["overrides"][0] == "datasets.d.path=rows.csv"
    assert found.results["spec"]["datasets"]["d"]["path"] == "rows.csv"
    # From the names alone it cannot be run again; with the paths it comes out the same.
    rerun = ["verify", found.latest, "--rerun", "--spec", workshop.folder / "spec.yaml"]
    assert workshop.call(*rerun).status in (2, 4)
    again = workshop.call(*rerun, *given)
    assert again.status == 0, again.err


def test_a_relative_path_and_other_words_stay_as_they_were_given(workshop: Workshop) -> None:
    workshop.file("other.csv", CATS)
    workshop.spec()
    found = workshop.done("--set", "datasets.d.path=other.csv", "--set", "title=/not/a/path")
    recorded = found.results["provenance"]["spec"]["overrides"]
    assert recorded == ["datasets.d.path=other.csv", "title=/not/a/path"]
    assert found.results["title"] == "/not/a/path"
    rerun = ["verify", found.latest, "--rerun", "--spec", workshop.folder / "spec.yaml"]
    assert workshop.call(*rerun).status == 0
