"""The seal by the rules of those who published its forms: RO-Crate's checker, in-toto's classes.

They stand in an environment of their own, which `make test-extras` makes: EVALREPORT_EXTRAS
names the folder that holds `seal` (roc-validator, in-toto-attestation).
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from programs import lacks

from evalreport.cli import status_of

HERE = Path(__file__).parent
PYTHON = Path(os.environ.get("EVALREPORT_EXTRAS") or "?").absolute() / "seal" / "bin" / "python"


def told(run: Path) -> Any:
    if not PYTHON.is_file():
        lacks("an environment with seal (make test-extras)")
    done = subprocess.run(
        [PYTHON, HERE / "published_profiles.py", run], capture_output=True, text=True, check=False,
        timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture
def sealed(run: Path, keys: Path) -> Path:
    assert status_of(["seal", str(run), "--key", str(keys / "ed25519.pem")]) == 0
    return run


@pytest.mark.long
def test_the_profile_of_process_runs_finds_nothing_amiss(sealed: Path) -> None:
    found = told(sealed)
    assert found["crate"] == []
    assert found["predicate"]["result"] == "PASSED"
    assert found["predicate"]["passedTests"] == ["1: recall >= 0.5, ten, m, pass"]


def test_the_checker_sees_what_the_profile_requires(sealed: Path) -> None:
    """It is the checker that judges: without the action of the run it objects."""
    path = sealed / "ro-crate-metadata.json"
    metadata = json.loads(path.read_text())
    metadata["@graph"] = [
        one for one in metadata["@graph"] if one["@type"] != "SoftwareApplication"
    ]
    path.write_text(json.dumps(metadata))
    assert told(sealed)["crate"]
