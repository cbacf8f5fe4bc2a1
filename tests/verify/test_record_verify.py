"""Verification finds every altered byte, every missing or added file, every broken link."""

from __future__ import annotations

import json
import os
import random
import shutil
from pathlib import Path

import pytest
from runs.publish_once import WHEN, details, publish

from evalreport.errors import FilesError, Problem, VerificationError
from evalreport.results.history import HistoryLine
from evalreport.runs.hashing import canonical_json, record_bytes, sha256
from evalreport.runs.history import append, parse_line
from evalreport.runs.lock import runs_lock
from evalreport.runs.manifest import (
    InputFile,
    Manifest,
    file_problems,
    parse_manifest,
    read_manifest,
)
from evalreport.runs.prune import prune
from evalreport.runs.runs import run_folders
from evalreport.verify.verify import (
    is_folder_of_runs,
    is_recorded,
    verify_numbers,
    verify_run,
    verify_runs,
)

pytestmark = pytest.mark.requirement("R12")


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    folder = tmp_path / "runs"
    for text in ("one", "two", "three"):
        publish(folder, text)
    assert verify_runs(folder) == []
    return folder


def whats(problems: list[Problem]) -> str:
    return "\n".join(str(problem) for problem in problems)


@pytest.mark.long
def test_every_single_byte_of_a_run_counts(runs: Path) -> None:
    run = (runs / "latest").resolve()
    draw = random.Random(20261121)
    trials = 0
    for path in sorted(run.iterdir()):
        data = path.read_bytes()
        for place in range(len(data)):
            for change in [1, *draw.sample(range(2, 256), 2)]:
                path.write_bytes(data[:place] + bytes([data[place] ^ change]) + data[place + 1 :])
                found = verify_run(run)
                assert found, (path.name, place)
                assert found[0].where is not None
                assert path.name in found[0].where.file
                trials += 1
        path.write_bytes(data)
    assert verify_run(run) == []
    assert trials >= 3_000


@pytest.mark.nightly
def test_every_single_byte_of_the_history_counts(runs: Path) -> None:
    path = runs / "history.jsonl"
    data = path.read_bytes()
    for place in range(len(data)):
        for change in (1, 128):
            path.write_bytes(data[:place] + bytes([data[place] ^ change]) + data[place + 1 :])
            assert verify_runs(runs), place
    for place in range(len(data)):
        path.write_bytes(data[:place] + data[place + 1 :])
        assert verify_runs(runs), f"byte {place} removed"
        path.write_bytes(data[:place])
        assert verify_runs(runs), f"cut to {place} bytes"


def test_lines_removed_swapped_or_repeated(runs: Path) -> None:
    path = runs / "history.jsonl"
    one, two, three = path.read_bytes().splitlines(keepends=True)
    for lines in (
        [two, three],
        [one, three],
        [one, two],
        [two, one, three],
        [one, one, two, three],
    ):
        path.write_bytes(b"".join(lines))
        assert verify_runs(runs), lines
    path.unlink()
    assert "no history" in whats(verify_runs(runs))


def test_missing_added_and_changed_files_are_named(runs: Path) -> None:
    run = (runs / "latest").resolve()
    (run / "measures.csv").unlink()
    (run / "extra.txt").write_text("x")
    (run / "results.json").write_bytes(b"{}\n")
    text = whats(verify_run(run))
    assert f"{run}/extra.txt: not in MANIFEST.json: added after the run" in text
    assert f"{run}/measures.csv: missing; MANIFEST.json records it" in text
    assert f"{run}/results.json: altered: 3 bytes, MANIFEST.json records 17" in text
    (run / "MANIFEST.json").unlink()
    assert "no MANIFEST.json" in whats(verify_run(run))


def test_an_added_hidden_file_or_empty_folder_is_found(runs: Path) -> None:
    run = (runs / "latest").resolve()
    (run / ".hidden").touch()
    (run / "folder").mkdir()
    assert len(verify_run(run)) == 2


def test_a_link_or_fifo_in_place_of_a_file(runs: Path) -> None:
    run = (runs / "latest").resolve()
    copy = runs.parent / "same.csv"
    shutil.copy(run / "measures.csv", copy)
    (run / "measures.csv").unlink()
    (run / "measures.csv").symlink_to(copy)
    (run / "report.html").unlink()
    os.mkfifo(run / "report.html")
    found = verify_run(run)
    assert [problem.what for problem in found] == ["not a regular file any more"] * 2
    (run / "MANIFEST.json").rename(runs.parent / "manifest")
    (run / "MANIFEST.json").symlink_to(runs.parent / "manifest")
    assert "no MANIFEST.json" in whats(verify_run(run))


def test_files_and_manifest_altered_alike_are_found_by_the_history(runs: Path) -> None:
    run = (runs / "latest").resolve()
    manifest, _ = read_manifest(run)
    (run / "measures.csv").write_bytes(b"forged")
    outputs = {**manifest.outputs, "measures.csv": record_bytes(b"forged")}
    (run / "MANIFEST.json").write_bytes(Manifest(manifest.details, outputs).to_bytes())
    assert "history.jsonl records another" in whats(verify_run(run))
    assert "history.jsonl records another" in whats(verify_runs(runs))
    copied = runs.parent / "copied"
    shutil.copytree(run, copied)
    assert verify_run(copied) == []  # without the history nobody can tell


def test_a_line_that_tells_another_outcome_than_the_manifest(runs: Path) -> None:
    path = runs / "history.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    entry = json.loads(lines[-1])
    del entry["sha256"]
    entry["outcome"] = "failed"
    lines[-1] = canonical_json({**entry, "sha256": sha256(canonical_json(entry))})
    path.write_bytes(b"".join(lines))
    assert [p.what for p in verify_runs(runs)] == [
        "history.jsonl and MANIFEST.json differ in outcome"
    ]


def test_every_byte_of_its_line_counts_for_one_run(runs: Path) -> None:
    """What says nothing of the run itself, the links of the chain and the form, counts too."""
    run, path = (runs / "latest").resolve(), runs / "history.jsonl"
    whole = path.read_bytes()
    start = whole[:-1].rindex(b"\n") + 1
    for place in range(start, len(whole), 7):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert verify_run(run), place
    path.write_bytes(whole[:start] + whole[start:].replace(b":", b": ", 1))
    assert "not written as this program writes it" in whats(verify_run(run))
    path.write_bytes(whole)
    assert verify_run(run) == []


def test_a_line_or_the_history_removed_is_told_of_one_run(runs: Path) -> None:
    run, path = (runs / "latest").resolve(), runs / "history.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-1]))
    assert "not recorded in history.jsonl" in whats(verify_run(run))
    path.write_bytes(b"".join(lines[1:]))
    assert "lines were removed, added or moved" in whats(verify_run(run))
    path.unlink()
    assert "there is no history" in whats(verify_run(run))
    (runs / "latest").unlink()
    assert "there is no history" in whats(verify_run(run))
    (runs / ".lock").unlink()
    assert verify_run(run) == []  # as of a run that was copied away; the command says so
    assert not is_recorded(run)


def test_a_run_renamed_copied_or_removed(runs: Path) -> None:
    first = run_folders(runs)[0]
    shutil.copytree(first, runs / "20200101T000000Z-00000000")
    assert "not recorded in history.jsonl" in whats(verify_runs(runs))
    assert "not recorded in history.jsonl" in whats(verify_run(runs / "20200101T000000Z-00000000"))
    shutil.rmtree(runs / "20200101T000000Z-00000000")
    shutil.rmtree(first)
    assert f"run {first.name} is recorded, but its folder is missing" in whats(verify_runs(runs))


def test_an_empty_or_absent_folder(tmp_path: Path) -> None:
    with pytest.raises(FilesError, match="there is no such folder"):
        verify_run(tmp_path / "absent")
    with pytest.raises(FilesError, match="there is no such folder"):
        verify_runs(tmp_path / "absent")
    assert "no history" in whats(verify_runs(tmp_path))
    (tmp_path / "file").touch()
    with pytest.raises(FilesError, match="not a folder"):
        verify_runs(tmp_path / "file")


def test_which_folders_are_folders_of_runs(runs: Path) -> None:
    assert is_folder_of_runs(runs)
    assert not is_folder_of_runs(runs / "latest")


def test_verifying_changes_nothing(runs: Path) -> None:
    def state() -> list[tuple[str, int]]:
        return sorted((str(p), p.lstat().st_mtime_ns) for p in [runs, *runs.rglob("*")])

    (runs / ".lock").unlink()
    before = state()
    verify_runs(runs)
    assert state() == before


def test_the_same_run_made_twice_has_the_same_manifest(tmp_path: Path) -> None:
    first, second = publish(tmp_path / "a"), publish(tmp_path / "b")
    assert (first / "MANIFEST.json").read_bytes() == (second / "MANIFEST.json").read_bytes()
    again = publish(tmp_path / "a")
    assert again.name == f"{first.name}-2"
    assert (first / "MANIFEST.json").read_bytes() == (again / "MANIFEST.json").read_bytes()


def test_the_manifest_names_no_path_user_or_host(tmp_path: Path) -> None:
    text = (publish(tmp_path) / "MANIFEST.json").read_text()
    for secret in (str(tmp_path), os.uname().nodename, str(os.getpid())):
        assert secret not in text
    for name in ("/data/x.csv", "C:\\data\\x.csv", "\\\\host\\x.csv"):
        with pytest.raises(ValueError, match="absolute path"):
            InputFile("dataset", name, "0" * 64, 1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda v: v.update(schema="evalreport/manifest/9"), "this version reads"),
        (lambda v: v.pop("outputs"), "not laid out as"),
        (lambda v: v["spec"].update(size="10"), "not a whole number"),
        (lambda v: v.update(version=3), "not text"),
        (lambda v: v.update(versions=[]), "not laid out as"),
        (lambda v: v.update(outcome="failed"), "does not have the sha256"),
        (lambda v: v.update(added=1), "does not have the sha256"),
    ],
)
def test_manifests_that_are_none(tmp_path: Path, change: object, message: str) -> None:
    value = json.loads((publish(tmp_path) / "MANIFEST.json").read_text())
    change(value)  # type: ignore[operator]
    with pytest.raises(ValueError, match=message):
        parse_manifest(canonical_json(value))


@pytest.mark.parametrize("data", [b"", b"[]\n", b"{", b"\xff", b'{"a":1,"a":2}\n', b"[" * 100_000])
def test_bytes_that_are_no_manifest(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "MANIFEST.json").write_bytes(data)
    with pytest.raises(VerificationError, match="altered, or not a manifest"):
        read_manifest(tmp_path)


def test_a_manifest_reads_back_as_it_was_written() -> None:
    manifest = Manifest(details(), {"results.json": record_bytes(b"{}")})
    assert parse_manifest(manifest.to_bytes()) == manifest


def test_prune_keeps_the_newest_and_the_chain(runs: Path) -> None:
    names = [run.name for run in run_folders(runs)]
    order = [json.loads(line)["run"] for line in (runs / "history.jsonl").read_text().splitlines()]
    assert sorted(order) == names
    assert prune(runs, 2, when=WHEN, version="0.1.0") == (order[0],)
    assert sorted(order[1:]) == [run.name for run in run_folders(runs)]
    assert verify_runs(runs) == []
    last = json.loads((runs / "history.jsonl").read_text().splitlines()[-1])
    assert (last["pruned"], last["n"]) == ([order[0]], 4)
    assert prune(runs, 2, when=WHEN, version="0.1.0") == ()
    publish(runs, "one")
    assert verify_runs(runs) == []
    # A name is never given again, even when its run is gone.
    assert f"{order[0]}-2" in [run.name for run in run_folders(runs)]


def test_prune_never_removes_what_latest_leads_to(runs: Path) -> None:
    first = json.loads((runs / "history.jsonl").read_text().splitlines()[0])["run"]
    (runs / "latest").unlink()
    (runs / "latest").symlink_to(first)
    assert len(prune(runs, 1, when=WHEN, version="0.1.0")) == 1
    assert (runs / "latest" / "MANIFEST.json").is_file()
    (runs / "latest").unlink()
    assert prune(runs, 1, when=WHEN, version="0.1.0") == (first,)
    assert verify_runs(runs) == []


def test_a_pruned_run_brought_back_from_a_backup_stays(runs: Path, tmp_path: Path) -> None:
    shutil.copytree(runs, tmp_path / "backup", symlinks=True)
    (gone,) = prune(runs, 2, when=WHEN, version="0.1.0")
    shutil.copytree(tmp_path / "backup" / gone, runs / gone)
    assert verify_runs(runs) == []
    publish(runs, "four")
    assert (runs / gone).is_dir()
    assert verify_runs(runs) == []


def test_files_that_cannot_be_read_are_problems(
    runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = (runs / "latest").resolve()

    def fails(*args: object, **more: object) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "open", fails)
        with pytest.raises(FilesError, match="cannot read the history: Input/output error"):
            verify_run(run)
        copied = shutil.move(runs / "history.jsonl", runs.parent)
        assert "cannot be read: Input/output error" in whats(verify_run(run))
        shutil.move(copied, runs)
    manifest, _ = read_manifest(run)
    with monkeypatch.context() as patched:
        patched.setattr(Path, "lstat", fails)
        found = file_problems(run, manifest)
        assert [p.what for p in found] == ["cannot be read: Input/output error"] * 3
    with monkeypatch.context() as patched:
        patched.setattr("evalreport.data.source.os.fstat", fails)
        found = file_problems(run, manifest)
        assert [p.what for p in found] == ["cannot be read: Input/output error"] * 3
    with pytest.raises(FilesError, match="cannot be listed"):
        file_problems(run / "absent", manifest)


def test_a_manifest_too_large_to_be_one(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evalreport.runs.manifest.LARGEST", 100)
    with pytest.raises(VerificationError, match="larger than 100 bytes"):
        read_manifest(runs / "latest")


def test_a_run_without_manifest_and_one_pruned_that_never_was(runs: Path) -> None:
    (run_folders(runs)[0] / "MANIFEST.json").unlink()
    assert "no MANIFEST.json" in whats(verify_runs(runs))
    with runs_lock(runs):
        append(runs, HistoryLine(pruned=("20200101T000000Z-00000000",)))
    # a list that holds anything else names no runs
    assert parse_line(b'{"pruned": ["20200101T000000Z-00000000", 3]}') == HistoryLine()
    assert "recorded as removed, but not as made" in whats(verify_runs(runs))


def test_numbers_in_what_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "results.json").mkdir()
    assert "not a regular file" in whats(verify_numbers(tmp_path).problems)
