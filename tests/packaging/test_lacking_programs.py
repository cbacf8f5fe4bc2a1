"""Where a program of the system is missing, the tests that use it are skipped and say so."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from programs import LACKING, PACKAGES, WITHOUT

TESTS = Path(__file__).parents[1]
#: Programs that every machine has, and those of environments that make sets up by itself.
EVERYWHERE = {"/bin/sh", "sh", "false", "umount"}
SOURCES = {
    path: path.read_text(encoding="utf-8")
    for path in sorted(TESTS.rglob("*.py"))
    if path.name not in {"programs.py", "make_files.py", "make_cases.py"}
}
_ASKS = re.compile(r'\bprogram\("([\w-]+)"\)')
#: A test that asks for each, and makes little before.
EXAMPLES = {
    "bash": "schedules/test_schedule_files.py::test_crontab",
    "cc": "fault_injection/test_every_call.py::test_a_fault_at_every_call",
    "chromium": "render/test_links_and_copies.py::test_a_table_is_copied_as_counts_alone",
    "git": (
        "packaging/test_wheel.py::test_wheel_has_the_same_bytes_from_another_folder_at_another_time"
    ),
    "initdb": "engine/counting/test_postgres_rows.py::test_the_hash_is_of_what_the_rows_hold",
    "mount": "runs/test_crash_safety.py::test_a_disk_that_is_really_full",
    "node": "render/test_keyboard.py::test_a_page_that_fails_is_seen_to_fail",
    "openssl": "seal/test_seal.py::test_the_same_seal_twice_by_a_key_of_ed25519",
    "pdflatex": "report/test_other_formats.py::test_latex_is_typeset",
    "pdfinfo": "render/test_pdf.py::test_pdfinfo_reads_it",
    "pdftotext": "render/test_pdf.py::test_pages_say_their_number_the_contents_theirs",
    "qpdf": "render/test_pdf.py::test_qpdf_finds_nothing_wrong",
    "setpriv": "engine/counting/test_postgres_rows.py::test_the_hash_is_of_what_the_rows_hold",
    "systemd-analyze": "schedules/test_schedule_files.py::test_systemd",
    "unshare": (
        "packaging/test_dockerfile.py"
        "::test_the_command_runs_where_only_the_temporary_folder_can_be_written"
    ),
}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(TESTS)))
def test_no_test_looks_for_a_program_itself(path: Path) -> None:
    tree = ast.parse(SOURCES[path])
    looked = [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr == "which" and _named(node.value, "shutil")
    ]
    started = [
        (node.lineno, str(first.value))
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and _named(node.func.value, "subprocess")
        and node.args
        and isinstance(node.args[0], ast.List)
        and isinstance(first := node.args[0].elts[0], ast.Constant)
        and first.value not in EVERYWHERE
    ]
    assert (looked, started) == ([], [])


def _named(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def test_every_program_that_is_asked_for_has_its_package_and_example() -> None:
    asked = {name for text in SOURCES.values() for name in _ASKS.findall(text)}
    assert asked == EXAMPLES.keys()
    assert asked <= PACKAGES.keys()


#: Their tests ask for another program of the list before, so these lack in a run of their own.
SECOND = {"setpriv", "systemd-analyze"}


@pytest.mark.long
@pytest.mark.parametrize("names", [sorted(EXAMPLES.keys() - SECOND), sorted(SECOND)], ids=len)
def test_a_test_that_lacks_it_is_skipped_and_says_so(names: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-rs", *(TESTS / EXAMPLES[name] for name in names)],
        cwd=TESTS.parent, capture_output=True, text=True, check=False,
        env={**os.environ, WITHOUT: ",".join(names)},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:]
    counted = re.findall("^skipped +[0-9]+ for lack of (.*)$", done.stdout, re.MULTILINE)
    told = {one.partition(" (")[0] for line in counted for one in line.split(", ")}
    for name in names:
        assert f"{LACKING}{name} (Debian: {PACKAGES[name]})" in done.stdout
        assert name in told
    assert counted[0] in {f"{name} (Debian: {PACKAGES[name]})" for name in names}
