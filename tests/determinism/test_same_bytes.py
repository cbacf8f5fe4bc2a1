"""The same spec, data and clock give the same bytes, whatever else is different."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.requirement("R9")

ROOT = Path(__file__).parents[2]
CLOCK = "1795262400"
NAMES = ("results.json", "report.html", "measures.csv", "report.pdf", "MANIFEST.json")
#: The demo, with fewer draws.
SHORTER = ("--set", "confidence.resamples=200")


def made(runs: Path, folder: Path, spec: str, formats: str = "html,pdf",
         before: str = "", **changes: str | None) -> dict[str, bytes]:  # fmt: skip
    """The files of a run made by a process of its own, started by a shell in a folder."""
    variables: dict[str, str] = {**os.environ, "PYTHONPATH": str(ROOT), "SOURCE_DATE_EPOCH": CLOCK}
    for name, value in changes.items():
        variables.pop(name, None)
        if value is not None:
            variables[name] = value
    line = f'{before} exec "$0" -m evalreport run "$@"'
    arguments = [spec, "-o", str(runs), "--quiet", "--formats", formats, *SHORTER]
    done = subprocess.run(
        ["/bin/sh", "-c", line, sys.executable, *arguments], cwd=folder, env=variables,
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stderr
    return {name: (runs / "latest" / name).read_bytes() for name in NAMES
            if (runs / "latest" / name).exists()}  # fmt: skip


def copied(folder: Path) -> Path:
    """The demo's spec and data, in a folder of their own."""
    for name in ("configs", "sample_data"):
        (folder / name).mkdir(parents=True)
    shutil.copy(ROOT / "configs" / "breast_cancer.yaml", folder / "configs")
    # Files come in another order on the disk.
    others = sorted(ROOT.glob("sample_data/*.csv"), reverse=True)
    for path in others:
        shutil.copy(path, folder / "sample_data")
    return folder


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("first")
    found = made(folder / "runs", ROOT, "configs/breast_cancer.yaml")
    assert set(found) == set(NAMES)
    return found


RC = """\
lines.linewidth: 9
font.size: 30
svg.fonttype: path
axes.facecolor: red
figure.dpi: 300
axes.grid: True
savefig.facecolor: red
font.family: serif
"""


def without_fonts(folder: Path) -> Path:
    """The settings of fontconfig on a system without a single font."""
    settings = folder / "fonts.conf"
    settings.write_text(
        '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">'
        f"<fontconfig><dir>{folder}/none</dir><cachedir>{folder}/cache</cachedir></fontconfig>"
    )
    return settings


def differing(one: dict[str, bytes], two: dict[str, bytes]) -> list[str]:
    return [name for name in NAMES if one.get(name) != two.get(name)]


@pytest.mark.long
def test_everything_else_at_once(first: dict[str, bytes], tmp_path: Path) -> None:
    """Another hash seed, zone, locale, home, mask, threads, folder, copy of the data, no input.

    Nor any font, and settings of matplotlib in the folder.
    """
    folder = copied(tmp_path / "another place")
    (folder / "sample_data" / "matplotlibrc").write_text(RC)
    again = made(
        tmp_path / "other runs", folder / "sample_data", "../configs/breast_cancer.yaml",
        before="umask 077; exec <&-;", PYTHONHASHSEED="4242", TZ="Pacific/Chatham",
        LC_ALL="C", LANG="tr_TR.UTF-8", HOME=None, USER="somebody", OMP_NUM_THREADS="8",
        OPENBLAS_NUM_THREADS="3", COLUMNS="40", TERM="dumb", NO_COLOR="1",
        TMPDIR=str(tmp_path), MPLBACKEND="pdf", PYTHONUTF8="0", PYTHONOPTIMIZE="1",
        FONTCONFIG_FILE=str(without_fonts(tmp_path)),
    )  # fmt: skip
    assert differing(first, again) == []
    assert (tmp_path / "other runs" / "latest" / "results.json").stat().st_mode & 0o077 == 0


@pytest.mark.nightly
@pytest.mark.parametrize(
    "changes",
    [
        {"PYTHONHASHSEED": "1"},
        {"TZ": "Asia/Kathmandu"},
        {"LC_ALL": "C"},
        {"LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8"},
        {"HOME": None},
        {"HOME": "/nonexistent"},
        {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        {"OMP_NUM_THREADS": "8"},
        {"MPLCONFIGDIR": "/nonexistent", "XDG_CACHE_HOME": "/nonexistent"},
        {"PYTHONDONTWRITEBYTECODE": "1"},
        {"before": "umask 000;"},
        {"before": "exec <&-;"},
        {"before": "exec >&-;"},
        {"before": "ulimit -n 64;"},
    ],
    ids=str,
)
def test_one_thing_after_another(
    first: dict[str, bytes], tmp_path: Path, changes: dict[str, str | None]
) -> None:
    options: dict[str, str | None] = dict(changes)
    before = str(options.pop("before", "") or "")
    again = made(tmp_path / "runs", ROOT, "configs/breast_cancer.yaml", before=before, **options)
    assert differing(first, again) == []


@pytest.mark.nightly
def test_settings_of_matplotlib_change_nothing(first: dict[str, bytes], tmp_path: Path) -> None:
    """A matplotlibrc in the current folder is read by everybody but us."""
    folder = copied(tmp_path / "there")
    (folder / "matplotlibrc").write_text(RC)
    again = made(tmp_path / "runs", folder, "configs/breast_cancer.yaml", formats="html")
    assert again["report.html"] == first["report.html"]


@pytest.mark.nightly
def test_fonts_of_the_system_change_nothing(first: dict[str, bytes], tmp_path: Path) -> None:
    """Without a single font installed: the report brings its own."""
    again = made(
        tmp_path / "runs", ROOT, "configs/breast_cancer.yaml",
        FONTCONFIG_FILE=str(without_fonts(tmp_path)),
    )  # fmt: skip
    assert differing(first, again) == []


def test_a_python_without_texts_is_refused(tmp_path: Path) -> None:
    """-OO drops docstrings, from which the catalogue of metrics is made."""
    done = subprocess.run(
        [sys.executable, "-OO", "-m", "evalreport", "run", "configs/breast_cancer.yaml", "-o",
         tmp_path / "runs"], cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, "-OO" in done.stderr) == (2, True)
    assert not (tmp_path / "runs").exists()
