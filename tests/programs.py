"""Programs of the system that some tests use; a test that lacks one says so and is skipped.

No test looks for a program itself: ``packaging/test_lacking_programs.py`` holds that, and runs
the tests of each program where it cannot be found.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import NoReturn

import pytest

#: Each program with the Debian package that has it.
PACKAGES = {
    "bash": "bash",
    "cc": "gcc",
    "chromium": "chromium",
    "fish": "fish",
    "git": "git",
    "initdb": "postgresql",
    "java": "openjdk-17-jre-headless",
    "mount": "mount",
    "node": "nodejs",
    "openssl": "openssl",
    "pdflatex": "texlive-latex-recommended",
    "pdfinfo": "poppler-utils",
    "pdftotext": "poppler-utils",
    "qpdf": "qpdf",
    "setpriv": "util-linux",
    "systemd-analyze": "systemd",
    "unshare": "util-linux",
    "zsh": "zsh",
}
#: Folders beside those of PATH in which Debian keeps programs.
FOLDERS = [str(folder) for folder in sorted(Path("/usr/lib/postgresql").glob("*/bin"))]
#: Names the programs that are taken for missing, with commas between them.
WITHOUT = "EVALREPORT_WITHOUT"
#: How the reason of a skipped test begins; the last lines of a run count these.
LACKING = "lacks "


def found_program(name: str) -> str | None:
    """Where a program is, or None."""
    if name in os.environ.get(WITHOUT, "").split(","):
        return None
    return shutil.which(name) or shutil.which(name, path=os.pathsep.join(FOLDERS))


def program(name: str) -> str:
    """Where a program is; the test that asks is skipped where there is none."""
    return found_program(name) or lacks(f"{name} (Debian: {PACKAGES[name]})")


def lacks(what: str) -> NoReturn:
    """Skip the test that asks, for lack of something that the machine could have."""
    pytest.skip(LACKING + what)
