"""The bill of materials: everything in the lock, nothing else, the same bytes twice."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from packaging.utils import canonicalize_name
from programs import lacks

ROOT = Path(__file__).resolve().parents[2]
LOCKS = sorted((ROOT / "requirements").glob("run-py3*.txt"))
PYTHON = Path(os.environ.get("EVALREPORT_EXTRAS") or "?").absolute() / "seal" / "bin" / "python"


def script() -> Any:
    path = ROOT / "requirements" / "sbom.py"
    spec = importlib.util.spec_from_file_location("sbom", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.stem)
def test_every_pin_is_a_component_with_every_hash(lock: Path) -> None:
    text = lock.read_text()
    bill = json.loads(script().bill(lock))
    pins = dict(re.findall(r"^([\w.-]+)==([^\s;\\]+)", text, re.MULTILINE))
    assert {one["name"]: one["version"] for one in bill["components"]} == pins
    hashes = [p["value"] for one in bill["components"] for p in one["properties"]]
    assert sorted(hashes) == sorted(re.findall(r"sha256:([0-9a-f]{64})", text))
    assert script().bill(lock) == script().bill(lock)


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.stem)
def test_what_needs_what_is_in_the_bill(lock: Path) -> None:
    bill = json.loads(script().bill(lock))
    known = {one["bom-ref"] for one in bill["components"]} | {
        bill["metadata"]["component"]["bom-ref"]
    }
    needs = {one["ref"]: one["dependsOn"] for one in bill["dependencies"]}
    assert set(needs) == known
    assert {part for parts in needs.values() for part in parts} <= known
    own = bill["metadata"]["component"]["bom-ref"]
    direct = {canonicalize_name(ref.split("/")[1].split("@")[0]) for ref in needs[own]}
    assert {"numpy", "weasyprint", "click"} <= direct
    (pandas,) = (parts for ref, parts in needs.items() if ref.startswith("pkg:pypi/pandas@"))
    assert any(part.startswith("pkg:pypi/numpy@") for part in pandas)


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.stem)
def test_the_published_schema_takes_it(lock: Path) -> None:
    if not PYTHON.is_file():
        lacks("an environment with seal (make test-extras)")
    code = (
        "import sys; from cyclonedx.schema import SchemaVersion; "
        "from cyclonedx.validation.json import JsonStrictValidator; "
        "found = JsonStrictValidator(SchemaVersion.V1_6).validate_str(sys.stdin.read()); "
        "sys.exit(str(found) if found else 0)"
    )
    done = subprocess.run(
        [PYTHON, "-c", code], input=script().bill(lock), capture_output=True, text=True,
        check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
