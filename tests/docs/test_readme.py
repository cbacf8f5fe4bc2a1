"""The README's first commands work before there is a release."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_first_command_installs_what_is_at_hand() -> None:
    """A package by its name alone is found only where a release was published."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    asked = re.findall(r"pip install ([^\s#]+)", text)
    assert asked
    assert asked[0] == "." or asked[0].startswith(("git+", "https://"))
    assert not any(re.fullmatch(r"['\"]?evalreport(\[.*\])?['\"]?", one) for one in asked)
