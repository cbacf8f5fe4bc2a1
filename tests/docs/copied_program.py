"""A copy of the program in a folder, to be changed as a page says, and its command run there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def copied(folder: Path) -> Path:
    """The program and what it reads, without compiled files."""
    for name in ("evalreport", "docs", "templates", "configs"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def called(copy: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Python with these arguments in the copy, which it imports."""
    environment = os.environ | {"PYTHONPATH": str(copy), "SOURCE_DATE_EPOCH": "1700000000"}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=copy,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
