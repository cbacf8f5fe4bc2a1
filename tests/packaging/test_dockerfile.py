"""The Dockerfile: what it names is there, and the command runs on a read-only root as it says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from programs import program

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "Dockerfile").read_text(encoding="utf-8")


def test_the_lock_is_that_of_the_python_of_the_image() -> None:
    versions = set(re.findall(r"^FROM python:(\d+)\.(\d+)-slim", TEXT, re.MULTILINE))
    locks = set(re.findall(r"requirements/run-py(\d)(\d+)\.txt", TEXT))
    assert len(versions) == 1
    assert locks == versions
    (major, minor) = next(iter(versions))
    lock = ROOT / "requirements" / f"run-py{major}{minor}.txt"
    # the package is built without the network, so what builds it is locked too
    assert re.search(r"^hatchling==", lock.read_text(encoding="utf-8"), re.MULTILINE)


def test_it_installs_what_the_pdf_needs() -> None:
    script = (ROOT / "requirements" / "pango.sh").read_text(encoding="utf-8")
    wanted = " ".join(re.findall(r'^(?:needed|advised)="([^"]+)"', script, re.MULTILINE)).split()
    assert wanted
    assert all(name in TEXT for name in wanted)


def test_what_the_build_takes_is_not_ignored() -> None:
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for name in ("evalreport", "templates", "configs", "sample_data", "README.md", "LICENSE"):
        assert name in project
        assert not [one for one in ignored if Path(name).match(one)]
    assert {".git", ".venv*"} <= set(ignored)


def test_it_runs_as_a_user_of_its_own() -> None:
    last = TEXT[TEXT.rindex("\nFROM ") :]
    user = re.findall(r"^USER (\w+)$", last, re.MULTILINE)
    assert user == ["evalreport"]
    assert "useradd --create-home --uid 1000 evalreport" in last
    assert 'ENTRYPOINT ["evalreport"]' in last


READ_ONLY = """\
mount --rbind / {root} && mount -o remount,bind,ro {root} || exit 99
mount -t tmpfs tmpfs {root}/tmp || exit 99
mkdir {root}/tmp/work && cp {work}/* {root}/tmp/work
run="{python} -m evalreport run spec.yaml && cat runs/latest/report.pdf"
chroot {root} sh -c "cd /tmp/work && ! touch /x 2>/dev/null && $run" > {pdf}
"""


@pytest.mark.long
def test_the_command_runs_where_only_the_temporary_folder_can_be_written(tmp_path) -> None:
    """As under ``docker run --read-only --tmpfs /tmp``, with the variables that the file sets."""
    unshare = program("unshare")
    if Path(sys.executable).is_relative_to("/tmp"):
        pytest.skip("the environment lies in /tmp itself")
    work, root = tmp_path / "work", Path("/run") / f"evalreport-{os.getpid()}"
    work.mkdir()
    (work / "d.csv").write_text("y,p\n" + "1,0.9\n0,0.2\n1,0.4\n0,0.6\n" * 10)
    (work / "spec.yaml").write_text(
        "evalreport: 1\ntitle: t\ndatasets: {d: {path: d.csv, target: y}}\n"
        "models: {m: {score: p}}\nmetrics: [recall]\n"
    )
    pdf = tmp_path / "report.pdf"
    script = READ_ONLY.format(root=root, work=work, pdf=pdf, python=sys.executable)
    named = dict(re.findall(r"(PYTHON[A-Z]+)=(\S+)", TEXT))
    assert named == {"PYTHONDONTWRITEBYTECODE": "1"}
    try:
        root.mkdir()
    except OSError as error:
        pytest.skip(f"no folder to mount on: {error}")
    try:
        done = subprocess.run(
            [unshare, "--mount", "--propagation", "private", "sh", "-c", script],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, **named},
        )
    finally:
        root.rmdir()
    if done.returncode == 99 or "unshare" in done.stderr:
        pytest.skip(f"mounting is not permitted: {done.stderr.splitlines()[0]}")
    assert done.returncode == 0, done.stderr
    assert pdf.read_bytes().rpartition(b"%%EOF")[1]
