"""The workflows of the repository, by reading them: every command in them exists."""

from __future__ import annotations

import importlib.util
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

REPOSITORY = Path(__file__).parents[2]
WORKFLOWS = sorted((REPOSITORY / ".github" / "workflows").glob("*.yml"))
#: Programs of the machines that workflows run on.
SYSTEM = {"sudo", "apt-get", "brew"}


def steps(path: Path) -> list[dict[str, Any]]:
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_every_command_exists(path: Path) -> None:
    make = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    for step in steps(path):
        assert ("run" in step) != ("uses" in step), step
        if "uses" in step:
            assert re.fullmatch(r"[\w-]+/[\w-]+@[\w/.]+", step["uses"]), step
            continue
        words = shlex.split(step["run"])
        words = words[1:] if words[0] == "sudo" else words
        if words[0] == "make":
            assert re.search(rf"^{words[1]}:", make, flags=re.MULTILINE), step
        elif words[0] in {"bash", "sh"}:
            assert (REPOSITORY / words[1]).is_file(), step
        elif words[0] in {"python", ".venv/bin/python"}:
            assert words[1] == "-m", step
            assert importlib.util.find_spec(words[2]), step
        else:
            assert words[0] in SYSTEM, step


def test_tests_run_on_three_systems_with_the_pythons_that_are_named() -> None:
    workflow = yaml.safe_load((WORKFLOWS[0].parent / "tests.yml").read_text(encoding="utf-8"))
    matrix = workflow["jobs"]["quick"]["strategy"]["matrix"]
    named = re.findall(r"Python :: (3\.\d+)\"", (REPOSITORY / "pyproject.toml").read_text("utf-8"))
    assert matrix["python"] == named
    assert [name.partition("-")[0] for name in matrix["os"]] == ["ubuntu", "macos", "windows"]


def test_every_badge_is_of_a_workflow() -> None:
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    badges = re.findall(r"actions/workflows/([\w-]+\.yml)/badge\.svg", readme)
    assert badges
    assert {*badges} <= {path.name for path in WORKFLOWS}
