"""Writes evalreport/qualify/tested.json: the version of every dependency that was tested.

From the locks that users run, requirements/run-*.txt; `make lock` calls it. `evalreport qualify`
holds what is installed against it, so it travels with the wheel.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

HERE = Path(__file__).resolve().parent
TARGET = HERE.parent / "evalreport" / "qualify" / "tested.json"
#: What builds an editable install; nobody runs it.
BUILDING = {"editables", "hatchling", "pathspec", "pluggy", "tomlkit", "trove-classifiers"}


def tested() -> str:
    """The content of the file."""
    found = {}
    for lock in sorted(HERE.glob("run-py3*.txt")):
        pins = re.findall(
            r"^([\w.-]+)==([^\s;\\]+)", lock.read_text(encoding="utf-8"), re.MULTILINE
        )
        tag = f"3.{lock.stem.removeprefix('run-py3')}"
        found[tag] = {name: version for name, version in pins if name not in BUILDING}
    return json.dumps(found, indent=1, sort_keys=True) + "\n"


if __name__ == "__main__":
    TARGET.write_text(tested(), encoding="utf-8")
