"""Writes what is in a lock as a bill of materials: CycloneDX 1.6, JSON. ``make sbom``.

``python requirements/sbom.py requirements/run-py311.txt`` prints it. It follows from the lock and
pyproject.toml alone and states no time, so that the same lock gives the same bytes. Source:
https://cyclonedx.org/docs/1.6/json/. The hashes of a lock are those of all files of a release,
of which an install takes one; they are properties, as a component has one file here or none.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
import uuid
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
_PIN = re.compile(
    r"^(?P<name>[\w.-]+)==(?P<version>[^\s;\\]+)(?P<more>.*?)(?=^[\w.-]+==|\Z)",
    re.MULTILINE | re.DOTALL,
)


def bill(lock: Path) -> str:
    """The bill of materials of a lock."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    text = lock.read_text(encoding="utf-8")
    found = {match["name"]: match for match in _PIN.finditer(text)}
    own = f"pkg:pypi/{project['name']}@{project['version']}"
    wanted: dict[str, list[str]] = {own: []}
    for match in found.values():
        wanted.setdefault(_address(match), [])
        for parent in _wanted_by(match["more"]):
            of = _address(found[parent]) if parent in found else own
            wanted.setdefault(of, []).append(_address(match))
    body = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, f'{own} {text}')}",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": own,
                "name": project["name"],
                "version": project["version"],
                "description": project["description"],
                "licenses": [{"license": {"id": project["license"]}}],
                "purl": own,
            },
            "properties": [{"name": "evalreport:lock", "value": lock.name}],
        },
        "components": [_component(match) for _, match in sorted(found.items())],
        "dependencies": [
            {"ref": ref, "dependsOn": sorted(set(parts))} for ref, parts in sorted(wanted.items())
        ],
    }
    return json.dumps(body, indent=1, sort_keys=True) + "\n"


def _component(match: re.Match[str]) -> dict[str, Any]:
    address = _address(match)
    return {
        "type": "library",
        "bom-ref": address,
        "name": match["name"],
        "version": match["version"],
        "purl": address,
        "properties": [
            {"name": "evalreport:lock:sha256", "value": value}
            for value in re.findall(r"--hash=sha256:([0-9a-f]{64})", match["more"])
        ],
    }


def _address(match: re.Match[str]) -> str:
    name = re.sub(r"[-_.]+", "-", match["name"]).lower()
    return f"pkg:pypi/{name}@{match['version']}"


def _wanted_by(more: str) -> list[str]:
    """What a pin stands in the lock for, by the comments of pip-compile."""
    lines = re.findall(r"^ +#(?: +via)? +(\S.*)$", more, re.MULTILINE)
    return [line.split(" ")[0].split("[")[0] for line in lines if line.strip() != "via"]


if __name__ == "__main__":
    sys.stdout.write(bill(Path(sys.argv[1])))
