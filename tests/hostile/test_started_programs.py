"""Which programs a run with a PDF starts: its own child, and nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hostile.command import ROOT, Workshop, environment

#: Python imports this in every process of the run, as the operator's path names its folder.
NOTED = """
import json, sys
def note(event, arguments):
    if event in ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork"):
        told = [str(a) for a in (arguments[1] if event == "subprocess.Popen" else arguments)]
        with open({log!r}, "a") as file:
            file.write(json.dumps([event, *told]) + chr(10))
sys.addaudithook(note)
"""


@pytest.mark.long
def test_paper_is_made_without_looking_for_libraries(workshop: Workshop, tmp_path: Path) -> None:
    """It took 87 programs: ldconfig, gcc and ld for every name that a library might have."""
    site, log = tmp_path / "site", tmp_path / "started"
    site.mkdir()
    (site / "sitecustomize.py").write_text(NOTED.format(log=str(log)))
    workshop.spec()
    done = subprocess.run(
        [sys.executable, "-m", "evalreport", "run", "spec.yaml", "-o", "runs", "--quiet",
         "--formats", "html,pdf"],
        cwd=workshop.folder, env=environment(PYTHONPATH=f"{site}:{ROOT}"), capture_output=True,
        text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert (workshop.runs / "latest" / "report.pdf").read_bytes().startswith(b"%PDF")
    started = [json.loads(line) for line in log.read_text().splitlines()]
    # A new cache of matplotlib lists the fonts of the system once.
    started = [words for words in started if "fc-list" not in words[1]]
    assert len(started) == 1, started
    assert started[0][-3:] == ["-m", "evalreport.render.child", "pdf"]
