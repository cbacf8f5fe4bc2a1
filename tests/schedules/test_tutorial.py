"""Every command of the tutorial, run in its order in an empty folder."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from programs import program

REPOSITORY = Path(__file__).resolve().parents[2]
TEXT = (REPOSITORY / "docs" / "tutorial.md").read_text(encoding="utf-8")
BLOCK = re.compile(
    r"(?:Save this as `([\w.]+)`:\n\n)?^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL
)


@pytest.mark.nightly
def test_the_tutorial(tmp_path: Path) -> None:
    binaries = Path(sys.executable).parent
    environment = {
        **os.environ,
        "REPOSITORY": str(REPOSITORY),
        "PATH": f"{binaries}{os.pathsep}{os.environ['PATH']}",
    }
    ran = []
    for name, language, body in BLOCK.findall(TEXT):
        if language != "sh":
            assert name, body
            (tmp_path / name).write_text(body, encoding="utf-8")
            continue
        expected = re.findall(r"# exit status (\d)", body)
        assert len(expected) <= 1
        done = subprocess.run(
            [program("bash"), "-e", "-c", body],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == int((expected or ["0"])[0]), (body, done.stdout, done.stderr)
        ran.append(done.stdout)
    told = "\n".join(ran)
    flipped = r"lower limit of recall >= 0\.7 +week, logistic, threshold 0\.5 +flipped"
    assert re.search(flipped, told)
    assert "outside its control limits" in told
    assert "verified: every run and the chain of records" in told
    assert "removed by prune" in told
    assert "1 passed" in told
    assert (tmp_path / "site" / "index.html").is_file()
    assert (tmp_path / "changes.html").is_file()


def test_links_of_the_documents_lead_somewhere() -> None:
    for name in ("tutorial.md", "schedules.md"):
        path = REPOSITORY / "docs" / name
        for link in re.findall(r"\]\(([^)#:]+)\)", path.read_text(encoding="utf-8")):
            assert (path.parent / link).exists(), (name, link)


def test_every_schedule_file_is_in_the_table() -> None:
    text = (REPOSITORY / "docs" / "schedules.md").read_text(encoding="utf-8")
    table = "\n".join(line for line in text.splitlines() if line.startswith("| `"))
    listed = set(re.findall(r"`([\w.-]+)`", table))
    assert listed == {p.name for p in (REPOSITORY / "configs" / "schedules").iterdir()}
