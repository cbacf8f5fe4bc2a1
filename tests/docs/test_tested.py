"""The page of promises names tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "tested.md").read_text(encoding="utf-8")


def test_every_promise_names_a_test_that_exists() -> None:
    rows = re.findall(r"^\| (?!promise|---)(.+?) \| (.+?) \|$", PAGE, flags=re.MULTILINE)
    assert len(rows) > 30
    for promise, tests in rows:
        named = re.findall(r"`((?:tests|\.ci)/[\w./]+|make \w+)`", tests)
        assert named, promise
        for name in named:
            assert name.startswith("make ") or (ROOT / name).is_file(), name
