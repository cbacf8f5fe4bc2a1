"""The committed requirements: complete, hashed, free of addresses, in step with pyproject.toml."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

REPOSITORY = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
BRANCHES = ("py311", "py312", "py313")
LOCKS = tuple(f"{kind}-{branch}.txt" for kind in ("run", "extras", "dev") for branch in BRANCHES)


HASHED = (*LOCKS, "audit.txt")


def text_of(lock: str) -> str:
    return (REPOSITORY / "requirements" / lock).read_text(encoding="utf-8")


def pins_of(lock: str) -> dict[str, Version]:
    found = re.findall(r"^([\w.-]+)==([^\s;\\]+)", text_of(lock), flags=re.MULTILINE)
    return {canonicalize_name(name): Version(version) for name, version in found}


def wanted_by(lock: str) -> list[Requirement]:
    lines = list(PROJECT["dependencies"])
    extras = PROJECT["optional-dependencies"]
    if lock.startswith("dev"):
        lines += extras["dev"]
    if lock.startswith("extras"):
        lines += [line for name, own in extras.items() if name != "dev" for line in own]
    return [Requirement(line) for line in lines]


@pytest.mark.parametrize("lock", HASHED)
def test_every_pin_has_hashes_and_every_line_is_known(lock: str) -> None:
    logical = text_of(lock).replace("\\\n", " ").splitlines()
    pins = [line for line in logical if line.strip() and not line.lstrip().startswith("#")]
    assert pins
    for line in pins:
        assert re.fullmatch(
            r"[\w.-]+==[\w.+!-]+( ;[^-]+)?(\s+--hash=sha256:[0-9a-f]{64})+\s*", line
        )


@pytest.mark.parametrize("lock", HASHED)
def test_no_address_and_no_path_of_a_machine(lock: str) -> None:
    for line in text_of(lock).splitlines():
        assert not re.search(
            r"https?:|file:/|--(extra-)?index|--find-links|--trusted|^-|\s/\w", line
        )


@pytest.mark.parametrize("lock", LOCKS)
def test_every_dependency_is_pinned_within_its_bounds(lock: str) -> None:
    pins = pins_of(lock)
    for requirement in wanted_by(lock):
        pin = pins[canonicalize_name(requirement.name)]
        assert requirement.specifier.contains(pin), f"{requirement} but {pin}"


@pytest.mark.parametrize("branch", BRANCHES)
@pytest.mark.parametrize("kind", ["extras", "dev"])
def test_extras_and_development_pin_what_users_run(kind: str, branch: str) -> None:
    pins = pins_of(f"{kind}-{branch}.txt")
    for name, version in pins_of(f"run-{branch}.txt").items():
        assert pins[name] == version


def test_every_python_that_is_named_has_its_locks() -> None:
    named = {
        "py" + one.rpartition(" ")[2].replace(".", "")
        for one in PROJECT["classifiers"]
        if re.search(r"Python :: 3\.\d+$", one)
    }
    assert named == set(BRANCHES)
    make = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    compiled = re.search(r"EXTRA_NAMES := (.*)", make)
    assert compiled is not None
    assert set(compiled[1].split()) == set(PROJECT["optional-dependencies"]) - {"dev"}


def test_nothing_that_installs_a_lock_resolves_it_anew() -> None:
    """Older pips take the newest release of what is wanted with an extra, which no lock names."""
    files = ["Makefile", "Dockerfile", "requirements/audit.sh", "SECURITY.md"]
    for name in files:
        text = (REPOSITORY / name).read_text(encoding="utf-8")
        installs = re.findall(r"install\s[^\n]*--require-hashes\s+-r", text)
        assert installs, name
        assert all("--no-deps" in one for one in installs), name
    make = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    assert make.count("@$(FROM_LOCK) $<") == make.count("@$(COMPLETE)") == 2
