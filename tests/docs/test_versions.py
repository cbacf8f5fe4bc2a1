"""The site by version: each in its own folder, the others as they were, the newest first."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from evalreport.version import __version__

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def module() -> Any:
    spec = importlib.util.spec_from_file_location("versions", ROOT / "docs" / "versions.py")
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


@pytest.fixture
def mkdocs(tmp_path: Path) -> str:
    """Stands for mkdocs: writes one page where it is told to."""
    path = tmp_path / "mkdocs"
    lines = [
        f"#!{sys.executable}",
        "import pathlib, sys",
        "assert sys.argv[1] == 'build'",
        "folder = pathlib.Path(sys.argv[sys.argv.index('--site-dir') + 1])",
        "folder.mkdir(parents=True, exist_ok=True)",
        "(folder / 'index.html').write_text('the pages')",
    ]
    path.write_text("\n".join(lines))
    path.chmod(0o755)
    return str(path)


def test_a_version_is_put_beside_the_others(module: Any, mkdocs: str, tmp_path: Path) -> None:
    sites = tmp_path / "sites"
    for name in ("0.0.9", "0.0.10", "0.0.10rc1"):
        (sites / name).mkdir(parents=True)
        (sites / name / "index.html").write_text(name)
    (sites / "0.0.1").mkdir()  # no pages: nothing to list
    assert module.main(mkdocs, sites) == 0
    assert (sites / __version__ / "index.html").read_text() == "the pages"
    assert (sites / "0.0.9" / "index.html").read_text() == "0.0.9"
    index = (sites / "index.html").read_text()
    assert re.findall(r'href="([^"]+)"', index) == [
        f"{name}/index.html" for name in (__version__, "0.0.10", "0.0.10rc1", "0.0.9")
    ]
    assert (sites / "latest").resolve() == (sites / __version__).resolve()


def test_where_the_pages_cannot_be_built_nothing_is_listed(module: Any, tmp_path: Path) -> None:
    assert module.main("/bin/false", tmp_path / "sites") != 0
    assert not (tmp_path / "sites" / "index.html").exists()


def test_the_site_is_built_so() -> None:
    make = (ROOT / "Makefile").read_text()
    assert re.search(r"^site: .*\n(\t.*\n)*\t.*docs/versions\.py", make, re.MULTILINE)
