"""Installs to look at: the package as a wheel leaves it, with its record, in a folder."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
CARRIED = ("templates", "configs", "sample_data")
VERSION = "0.1.0"


@dataclass(frozen=True)
class Install:
    """A folder that stands for site-packages, with the product in it."""

    site: Path

    @property
    def package(self) -> Path:
        return self.site / "evalreport"

    @property
    def info(self) -> Path:
        return self.site / f"evalreport-{VERSION}.dist-info"

    def record(self) -> None:
        """Write RECORD for the files that are there now, as an installer does."""
        write_record(self.info, self.site, [p for p in self.package.rglob("*") if p.is_file()])

    def run(
        self, *arguments: str | Path, cwd: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        """The command of this install."""
        hidden = ("PYTHONPATH", "SOURCE_DATE_EPOCH", "COVERAGE_PROCESS_START")
        environment = {k: v for k, v in os.environ.items() if k not in hidden}
        environment |= {"PYTHONPATH": str(self.site), "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.run(
            [sys.executable, "-P", "-m", "evalreport", *map(str, arguments)],
            cwd=cwd or self.site, env=environment, capture_output=True, text=True, check=False,
            stdin=subprocess.DEVNULL, timeout=1200,
        )  # fmt: skip

    def qualify(self, parts: str, *more: str | Path) -> tuple[int, dict[str, Any]]:
        """Status and JSON of a qualification of some parts."""
        out = self.site.parent / "qualification"
        done = self.run("qualify", "--parts", parts, "--formats", "", "--json", "-o", out, *more)
        assert "Traceback" not in done.stderr, done.stderr[-3000:]
        return done.returncode, json.loads(done.stdout) if done.stdout else {"said": done.stderr}


def write_record(info: Path, site: Path, files: Iterable[Path]) -> None:
    lines = []
    for path in sorted(
        {*files, *(p for p in info.rglob("*") if p.is_file() and p != info / "RECORD")}
    ):
        data = path.read_bytes()
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        hashed = "__pycache__" not in path.parts
        lines.append(
            f"{path.relative_to(site)},{f'sha256={digest},{len(data)}' if hashed else ','}"
        )
    (info / "RECORD").write_text("\n".join([*lines, f"{info.name}/RECORD,,", ""]))


def installed(site: Path) -> Install:
    """The product as its wheel would leave it in a folder."""
    made = Install(site)
    unwanted = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "evalreport", made.package, ignore=unwanted)
    for name in CARRIED:
        shutil.copytree(ROOT / name, made.package / "_data" / name, ignore=unwanted)
    made.info.mkdir()
    (made.info / "METADATA").write_text(
        f"Metadata-Version: 2.4\nName: evalreport\nVersion: {VERSION}\n"
    )
    made.record()
    return made


def with_dependency(install: Install, name: str) -> Path:
    """Put a copy of a small dependency before the one of this environment; its dist-info."""
    own = distribution(name)
    files = [f for f in own.files or () if ".." not in f.parts and "__pycache__" not in f.parts]
    for one in files:
        target = install.site / one
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(str(own.locate_file(one)), target)
    return next(install.site / f.parts[0] for f in files if f.parts[0].endswith(".dist-info"))


def failed(found: dict[str, Any]) -> list[dict[str, Any]]:
    return [one for one in found["checks"] if one["outcome"] == "failed"]
