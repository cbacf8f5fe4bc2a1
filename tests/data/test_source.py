from __future__ import annotations

import hashlib
import os
import socket
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from evalreport.data import open_source, read_table
from evalreport.data import source as source_module
from evalreport.data.source import reading, suffix_of
from evalreport.errors import DataError, FilesError


def test_a_source_has_size_and_hash(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"y\n1\n")
    source = open_source(path, "data/a.csv")
    assert (source.name, source.size, source.suffix) == ("data/a.csv", 4, ".csv")
    assert source.sha256 == hashlib.sha256(b"y\n1\n").hexdigest()


def test_without_a_name_messages_use_the_path(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"y\n1\n")
    assert open_source(path).name == str(path)


def test_links_are_followed_and_the_suffix_is_the_written_one(tmp_path: Path) -> None:
    (tmp_path / "blob").write_text("y\n1\n")
    link = tmp_path / "a.csv"
    link.symlink_to(tmp_path / "blob")
    source = open_source(link)
    assert source.path == (tmp_path / "blob").resolve()
    assert read_table(source).rows == 1


def test_what_is_no_regular_file_is_refused_before_it_is_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "device.csv").symlink_to("/dev/zero")
    (tmp_path / "loop.csv").symlink_to(tmp_path / "loop.csv")
    with socket.socket(socket.AF_UNIX) as held:
        held.bind(str(tmp_path / "s.csv"))
        for name, kind in [
            ("pipe.csv", "is a named pipe"),
            ("folder.csv", "is a folder"),
            ("device.csv", "is a device"),
            ("s.csv", "is a socket"),
            ("absent.csv", "file not found"),
            ("loop.csv", "cannot be read"),
            ("a\0b.csv", "cannot be read"),
        ]:
            with pytest.raises(FilesError, match=kind) as caught:
                open_source(tmp_path / name, name)
            assert caught.value.status == 4
            assert str(tmp_path) not in str(caught.value)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_an_unreadable_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("y\n1\n")
    path.chmod(0)
    with pytest.raises(FilesError, match="Permission denied"):
        open_source(path)


def test_an_open_that_fails_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.csv"
    path.write_text("y\n1\n")

    def refuse(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(FilesError, match="cannot be read: Permission denied"):
        open_source(path, "a.csv")


def test_a_pipe_put_in_place_of_the_file_does_not_hang(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("y\n1\n")
    source = open_source(path)
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(FilesError, match="changed"), reading(source):
        pass


@pytest.mark.parametrize("content", [b"y\n2\n", b"y\n1\n1\n"])
def test_a_file_changed_before_it_is_read_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"y\n1\n")
    source = open_source(path)
    path.write_bytes(content)
    with pytest.raises(FilesError, match="changed while it was read"):
        read_table(source)


@pytest.mark.parametrize("times", ["kept", "new"])
def test_a_file_changed_while_it_is_read_is_refused(tmp_path: Path, times: str) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"y\n1\n")
    source, before = open_source(path), path.stat()

    def change() -> None:
        path.write_bytes(b"y\n2\n")
        if times == "kept":
            os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    with pytest.raises(FilesError, match="changed while it was read"), reading(source):
        change()


def test_a_file_replaced_while_it_is_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"y\n1\n")
    source = open_source(path)
    with pytest.raises(FilesError, match="changed"), reading(source):
        path.unlink()


def test_a_change_is_told_before_the_damage_it_did(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"y\n1\n")
    source = open_source(path)

    def change() -> None:
        path.write_bytes(b"y\n1,2\n")
        raise DataError("row 1 has 2 fields")

    with pytest.raises(FilesError, match="changed"), reading(source):
        change()


def test_wrong_data_of_an_unchanged_file_stays_wrong_data(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"y\n1,2\n")
    with pytest.raises(DataError):
        read_table(open_source(path))


def test_an_error_of_the_disk_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"y\n1\n")
    source = open_source(path, "a.csv")
    with pytest.raises(FilesError, match="cannot be read: Input/output error"), reading(source):
        raise OSError(5, "Input/output error")


def test_a_kind_that_is_not_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.xls"
    path.write_bytes(b"x")
    with pytest.raises(DataError, match=r"'\.xls' are not read"):
        read_table(open_source(path))
    assert suffix_of("A.TSV.GZ") == ".tsv.gz"


def test_a_file_that_grows_while_it_is_hashed_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"y\n1\n")
    real = source_module._digest

    def grow(stream: BinaryIO) -> tuple[str, int]:
        found = real(stream)
        with path.open("ab") as more:
            more.write(b"2\n")
        return found

    monkeypatch.setattr(source_module, "_digest", grow)
    with pytest.raises(FilesError, match="changed"):
        open_source(path)


def test_a_file_replaced_between_check_and_open_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"y\n1\n")
    real = os.open

    def replace(*given: Any) -> int:
        path.unlink()
        path.write_bytes(b"y\n22\n")
        return real(*given)

    monkeypatch.setattr(os, "open", replace)
    with pytest.raises(FilesError, match="changed"):
        open_source(path)
