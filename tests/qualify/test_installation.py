"""IQ: an install that is as it was released, and every way in which it is not, by name."""

from __future__ import annotations

import compileall
import importlib.util
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from qualify.installs import ROOT, Install, failed, installed, with_dependency, write_record

pytestmark = [pytest.mark.long, pytest.mark.requirement("R1"), pytest.mark.requirement("R2")]


def module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


@pytest.fixture(scope="module")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return installed(tmp_path_factory.mktemp("made") / "site").site


@pytest.fixture
def install(made_once: Path, tmp_path: Path) -> Install:
    shutil.copytree(made_once, tmp_path / "site")
    return Install(tmp_path / "site")


def iq(install: Install) -> tuple[int, list[dict[str, Any]]]:
    status, found = install.qualify("IQ")
    return status, failed(found)


def test_a_healthy_install_fails_nothing(install: Install) -> None:
    status, found = install.qualify("IQ")
    assert failed(found) == []
    assert status == 0
    files = next(one for one in found["checks"] if one["what"] == "files of the product")
    assert files["outcome"] == "passed"
    assert int(files["found"].split()[0]) > 500
    assert {"numpy", "scipy", "weasyprint"} <= {one["what"] for one in found["checks"]}


def flipped(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


FAULTS: dict[str, tuple[Callable[[Install], object], str]] = {
    "a byte in a module": (
        lambda i: flipped(i.package / "metrics" / "counts.py"),
        "evalreport/metrics/counts.py: altered",
    ),
    "a byte in a font": (
        lambda i: flipped(i.package / "_data" / "templates" / "fonts" / "report-sans-400.ttf"),
        "report-sans-400.ttf: altered",
    ),
    "a byte in the reference cases": (
        lambda i: (i.package / "qualify" / "tested.json").write_text(
            (i.package / "qualify" / "tested.json").read_text() + "\n"
        ),
        "evalreport/qualify/tested.json: altered",
    ),
    "a file too many": (
        lambda i: (i.package / "metrics" / "more.py").write_text("x = 1\n"),
        "evalreport/metrics/more.py: added",
    ),
    "a file too few": (
        lambda i: (i.package / "py.typed").unlink(),
        "evalreport/py.typed: No such file",
    ),
    "no record": (lambda i: (i.info / "RECORD").write_text(""), "evalreport: it has no record"),
    "another version": (
        lambda i: (i.info / "METADATA").write_text("Name: evalreport\nVersion: 9.9.9\n"),
        "what is installed is not what runs",
    ),
}


@pytest.mark.parametrize("fault", sorted(FAULTS))
def test_a_fault_is_found_and_named(install: Install, fault: str) -> None:
    plant, words = FAULTS[fault]
    plant(install)
    status, found = iq(install)
    assert status == 1
    assert any(words in one["reason"] for one in found), found


def test_a_compiled_file_that_is_not_its_source(install: Install) -> None:
    compileall.compile_dir(str(install.package / "metrics"), quiet=1)
    assert iq(install) == (0, [])
    (compiled,) = (install.package / "metrics" / "__pycache__").glob("counts.*.pyc")
    (other,) = (install.package / "metrics" / "__pycache__").glob("chance.*.pyc")
    compiled.write_bytes(compiled.read_bytes()[:16] + other.read_bytes()[16:])
    status, found = iq(install)
    assert status == 1
    assert found[0]["reason"] == "evalreport/metrics/counts.py: compiled, it is something else"


def test_dependencies_by_version_and_by_file(install: Install) -> None:
    with_dependency(install, "tinycss2")
    with_dependency(install, "click")
    assert iq(install) == (0, [])
    flipped(install.site / "tinycss2" / "parser.py")
    info = next(install.site.glob("click-*.dist-info"))
    text = (info / "METADATA").read_text()
    old = next(line for line in text.splitlines() if line.startswith("Version: "))
    (info / "METADATA").write_text(text.replace(old, "Version: 8.2.0"))
    write_record(info, install.site, (install.site / "click").rglob("*.py"))
    status, found = iq(install)
    assert status == 1
    reasons = {one["what"]: one["reason"] for one in found}
    assert "tinycss2/parser.py: altered" in reasons["tinycss2"]
    assert reasons["click"] == "click: 8.2.0 is not what was tested"


def test_an_editable_install_is_said_to_be_one(install: Install) -> None:
    (install.info / "direct_url.json").write_text(
        json.dumps({"dir_info": {"editable": True}, "url": "file:///somewhere"})
    )
    status, found = install.qualify("IQ")
    assert status == 0
    files = next(one for one in found["checks"] if one["what"] == "files of the product")
    assert files["outcome"] == "not_done"
    assert "may change at any time" in files["reason"]


def test_the_versions_that_travel_are_those_of_the_locks() -> None:
    made = module(ROOT / "requirements" / "tested_versions.py").tested()
    assert (ROOT / "evalreport" / "qualify" / "tested.json").read_text() == made
    known = json.loads(made)
    assert set(known) == {"3.11", "3.12", "3.13"}
    for versions in known.values():
        assert {"numpy", "scipy", "pandas", "scikit-learn", "weasyprint"} <= set(versions)
