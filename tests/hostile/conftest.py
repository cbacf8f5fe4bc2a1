"""A workshop with an earlier run, for each test; nothing outside it may be touched."""

from __future__ import annotations

from pathlib import Path

import pytest
from hostile.command import ENGINES, Workshop

CATS = "y,p\ncat,cat\ndog,dog\ncat,dog\ndog,dog\n"


@pytest.fixture(scope="session")
def earlier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A RUNS with one run in it, of a series of its own: others may have other classes."""
    workshop = Workshop(tmp_path_factory.mktemp("earlier"))
    workshop.file("a.csv", CATS)
    workshop.spec(more="series: earlier")
    assert workshop.run("--at", "2026-01-01T00:00:00Z").status == 0
    return workshop.runs


@pytest.fixture
def workshop(tmp_path: Path, earlier: Path, monkeypatch: pytest.MonkeyPatch) -> Workshop:
    """A folder that is also the current one, holding a.csv and a RUNS with one run."""
    made = Workshop(tmp_path, earlier)
    made.file("a.csv", CATS)
    monkeypatch.chdir(tmp_path)
    return made


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)
