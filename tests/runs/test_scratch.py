"""Temporary folders: removed by their owner, else by a later run, and nobody else's ever."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from evalreport import scratch
from evalreport.scratch import OWNER, WORDS, scratch_folder, sweep

#: Makes a folder, says where, and waits to be killed.
HOLDER = (
    "import sys, time\nfrom evalreport.scratch import scratch_folder\n"
    "with scratch_folder() as folder:\n"
    "    open(folder + '/big', 'w').write('x')\n"
    "    print(folder, flush=True); time.sleep(60)\n"
)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for temporary files of its own."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(scratch._Swept, "places", set())
    return tmp_path


def holder(place: Path) -> tuple[subprocess.Popen[str], Path]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER], stdout=subprocess.PIPE, text=True,
        env={**os.environ, "TMPDIR": str(place)},
    )  # fmt: skip
    assert process.stdout is not None
    return process, Path(process.stdout.readline().strip()).parent


def marked(folder: Path, words: bytes = WORDS) -> Path:
    folder.mkdir()
    (folder / OWNER).write_bytes(words)
    (folder / "inside").mkdir()
    return folder


def test_it_goes_with_its_context(place: Path) -> None:
    with scratch_folder() as folder:
        assert list(Path(folder).iterdir()) == []
        assert Path(folder).stat().st_mode & 0o077 == 0
        (Path(folder) / "sub").mkdir()
        (Path(folder) / "sub" / "file").write_text("x")
    assert list(place.iterdir()) == []


def test_what_a_killed_process_left_is_removed_and_what_lives_stays(place: Path) -> None:
    dead, left = holder(place)
    alive, used = holder(place)
    with dead, alive:
        dead.kill()
        dead.wait()
        assert left.is_dir()
        with scratch_folder():
            assert not left.exists()
            assert (used / "files" / "big").read_text() == "x"
        alive.kill()
    assert sweep(place) == [used.name]
    assert list(place.iterdir()) == []


def test_nothing_else_is_removed(place: Path) -> None:
    """Folders that are called alike, links, files, other marks, and what is held."""
    other = place / "elsewhere"
    marked(other)
    (place / "evalreport-aaaaaaaa").mkdir()
    marked(place / "evalreport-bbbbbbbb", b"mine")
    marked(place / "evalreport-cccccccc", WORDS + b"more")
    marked(place / "evalreport-longer-name")
    (place / "evalreport-dddddddd").symlink_to(other)
    (place / "evalreport-eeeeeeee").write_bytes(WORDS)
    (place / "evalreport-ffffffff").mkdir()
    (place / "evalreport-ffffffff" / OWNER).symlink_to(other / OWNER)
    (place / "evalreport-gggggggg").mkdir()
    os.mkfifo(place / "evalreport-gggggggg" / OWNER)
    held = marked(place / "evalreport-hhhhhhhh")
    with (held / OWNER).open() as mark:
        fcntl.flock(mark, fcntl.LOCK_EX)
        before = sorted(place.rglob("*"))
        assert sweep(place) == []
        assert sorted(place.rglob("*")) == before
    assert sweep(place) == ["evalreport-hhhhhhhh"]


def test_links_inside_are_removed_and_not_followed(place: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "file").write_text("x")
    folder = marked(place / "evalreport-aaaaaaaa")
    (folder / "link").symlink_to(kept)
    (folder / "inside" / "link").symlink_to(kept)
    assert sweep(place) == [folder.name]
    assert (kept / "file").read_text() == "x"


def test_a_folder_of_another_user_stays(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    marked(place / "evalreport-aaaaaaaa")
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert sweep(place) == []


def test_many_at_once_never_take_what_is_in_use(place: Path) -> None:
    """Six processes make and remove folders, and sweep before each."""
    code = (
        "from pathlib import Path\nfrom evalreport import scratch\n"
        "for n in range(60):\n"
        "    scratch._Swept.places.clear()\n"
        "    with scratch.scratch_folder() as folder:\n"
        "        path = Path(folder) / 'f'\n"
        "        path.write_text(str(n)); assert path.read_text() == str(n)\n"
    )
    environment = {**os.environ, "TMPDIR": str(place)}
    running = [
        subprocess.Popen([sys.executable, "-c", code], env=environment, stderr=subprocess.PIPE)
        for _ in range(6)
    ]
    for process in running:
        _, err = process.communicate(timeout=60)
        assert (process.returncode, err) == (0, b"")
    assert list(place.iterdir()) == []


def test_without_locks_nothing_is_marked(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object) -> None:
        raise OSError("no locks here")

    with monkeypatch.context() as patched:
        patched.setattr(fcntl, "flock", none)
        with scratch_folder() as folder:
            assert not (Path(folder).parent / OWNER).exists()
            assert sweep(place) == []
            assert Path(folder).is_dir()
    assert list(place.iterdir()) == []


def test_what_stopped_while_it_removed_can_be_taken_up(place: Path) -> None:
    """The mark goes last, so that the rest of a folder is never without one."""
    folder = marked(place / "evalreport-aaaaaaaa")
    (folder / "inside").rmdir()
    assert sweep(place) == [folder.name]
