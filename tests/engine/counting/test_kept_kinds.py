"""Kinds of files that were counted before are taken as they are: new files alone are counted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import pytest

from evalreport.engine.counting import kept_kinds
from evalreport.engine.counting.kept_kinds import KeptKinds
from evalreport.engine.predicting import Fitting
from evalreport.engine.read_and_plan import prepare
from evalreport.engine.run import evaluate
from evalreport.errors import DataError
from evalreport.results.codec import encode
from evalreport.spec.load import parse_spec

pytestmark = pytest.mark.long_but_first


ROWS = """SELECT CASE WHEN h % 3 = 0 THEN 'sick' ELSE 'well' END AS y,
    CASE WHEN h % 5 < 2 THEN 'sick' ELSE 'well' END AS said,
    CASE WHEN h % 97 > 0 THEN 'sick' END AS maybe,
    (h % 50) / 50 AS s, 1 - (h % 50) / 50 AS rest, [(h % 50) / 50, 1 - (h % 50) / 50] AS both,
    h / 100003 AS fine, h / 7.0 - 5000 AS m, 'c' || h % 40 AS c, 1 + h % 3 AS w, h % 90 AS age,
    CASE WHEN h % 11 > 0 THEN 'g' || h % 3 END AS g,
    DATE '2026-01-28' + CAST({day} AS INTEGER) AS at, 'i' || {day} || '-' || i AS id
    FROM (SELECT i, (i * 7919 + i * i * 31 + {day} * 77) % 100003 AS h FROM range({rows}) t(i))"""

SCORED = {"models": {"m": {"score": "s"}}, "metrics": ["accuracy", "recall", "roc_auc", "brier"]}
JOBS: dict[str, dict[str, Any]] = {
    "every score": {**SCORED, "models": {"m": {"score": "fine"}}},
    "rounded scores": {
        **SCORED,
        "models": {"m": {"score": "fine"}},
        "engine": {"grain": 0.01},
    },
    "margins, in intervals of a column": {
        "models": {"m": {"margin": "m"}},
        "metrics": ["roc_auc"],
        "subgroups": [{"column": "age", "bins": [30, 60]}],
    },
    "labels with weights and clusters": {
        "models": {"m": {"prediction": "said"}},
        "dataset": {"weight": "w", "cluster": "c"},
        "metrics": ["accuracy"],
    },
    "two models, with ids": {
        "models": {"m": {"score": "s"}, "other": {"prediction": "said"}},
        "dataset": {"id": "id"},
        "comparisons": {"reference": "other"},
        "metrics": ["accuracy"],
    },
    "rows left out": {
        "models": {"m": {"prediction": "maybe"}},
        "dataset": {"missing": "exclude"},
        "metrics": ["recall"],
    },
    "months": {
        "models": {"m": {"score": "s"}},
        "metrics": ["recall"],
        "dataset": {"period": {"column": "at", "every": "month"}},
    },
    "scores in a list": {
        "models": {"m": {"scores": "both"}},
        "dataset": {"labels": ["sick", "well"]},
        "metrics": ["accuracy"],
    },
    "labels beside scores, described": {
        "models": {"m": {"score": "s", "prediction": "said"}},
        "metrics": ["accuracy"],
        "report": {"characteristics": ["w"]},
    },
    "kinds with counts": {
        "models": {"m": {"prediction": "said"}},
        "dataset": {"count": "w"},
        "metrics": ["recall"],
    },
}


class Days:
    """A folder of one file a day, a folder of runs, and which files are looked into."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.cache = folder / "days", folder / "runs" / ".cache"
        self.counted: list[str] = []
        self.kind = "parquet"

    def add(self, day: int, rows: int = 4000, below: str = "") -> Path:
        path = self.folder / below / f"day{day:02}.{self.kind}"
        path.parent.mkdir(parents=True, exist_ok=True)
        select = ROWS.format(day=day, rows=rows)
        duckdb.connect().execute(f"COPY ({select}) TO '{path}'")
        return path

    def results(self, job: dict[str, Any], cache: bool = True, fresh: bool = False) -> str:
        """The results of a job, as text, by counting."""
        parts = dict(job)
        dataset = {"path": f"{self.folder}/", "target": "y", **parts.pop("dataset", {})}
        engine = {"name": "duckdb", **parts.pop("engine", {})}
        spec = {
            "evalreport": 1,
            "datasets": {"d": dataset},
            "engine": engine,
            "subgroups": ["g"],
            "positive": {"label": "sick"},
            "confidence": {"resamples": 20},
            **parts,
        }
        self.counted.clear()
        fitting = Fitting(cache=self.cache if cache else None, fresh=fresh)
        prepared = prepare(parse_spec(json.dumps(spec)), fitting=fitting)
        assert prepared.engine == "duckdb", prepared.engine_reason
        return json.dumps(encode(evaluate(prepared, "2026-01-01T00:00:00Z")), sort_keys=True)

    def entries(self) -> list[Path]:
        return sorted((self.cache / "kinds").glob("*"))


@pytest.fixture
def days(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Days:
    found = Days(tmp_path)
    before = kept_kinds._counted

    def counted(source: Any, part: Any, wanted: Any, path: Path) -> None:
        found.counted.append(part.name)
        before(source, part, wanted, path)

    monkeypatch.setattr(kept_kinds, "_counted", counted)
    for day in range(4):
        found.add(day)
    return found


@pytest.mark.parametrize("job", JOBS)
def test_a_night_beside_counted_ones_gives_the_bytes_of_a_full_count(days: Days, job: str) -> None:
    days.results(JOBS[job])
    assert len(days.counted) == 4
    new = days.add(4, 4500)
    night = days.results(JOBS[job])
    assert days.counted == [new.name]
    assert night == days.results(JOBS[job], cache=False)


@pytest.mark.parametrize("kind", ["csv", "csv.gz"])
@pytest.mark.parametrize("job", ["every score", "rows left out", "months"])
def test_text_is_read_once(days: Days, tmp_path: Path, kind: str, job: str) -> None:
    days.folder, days.kind = tmp_path / "text", kind
    for day in range(3):
        days.add(day, below=f"part={day % 2}")
    asked = {**JOBS[job], "subgroups": ["part"]}
    days.results(asked)
    new = days.add(3, below="part=1")
    night = days.results(asked)
    assert days.counted == [f"part=1/{new.name}"]
    assert night == days.results(asked, cache=False)
    new.unlink()
    assert days.results(asked) == days.results(asked, cache=False)


@pytest.mark.parametrize(
    ("line", "told"),
    [("y,s\nsick,0.5", "columns differ from those"), ("y,s\nsick,0.5,7", "3 fields")],
)
def test_text_that_does_not_fit_is_told_of(
    days: Days, tmp_path: Path, line: str, told: str
) -> None:
    days.folder, days.kind = tmp_path / "text", "csv"
    days.add(1)
    days.results(SCORED)
    (days.folder / "day02.csv").write_text(f"{line}\n", encoding="utf-8")
    with pytest.raises(DataError, match=told):
        days.results(SCORED)


def test_an_id_that_stands_in_two_files_is_told_of(days: Days) -> None:
    job = JOBS["two models, with ids"]
    days.results(job)
    path = days.folder / "day05.parquet"
    duckdb.connect().execute(f"COPY ({ROWS.format(day=1, rows=1)}) TO '{path}'")
    with pytest.raises(DataError, match="id is not unique: 'i1-0'"):
        days.results(job)


def test_nothing_is_counted_where_nothing_is_new_unless_fresh(days: Days) -> None:
    first = days.results(SCORED)
    assert len(days.counted) == 4
    assert days.results(SCORED) == first
    assert days.counted == []
    assert days.results(SCORED, fresh=True) == first
    assert len(days.counted) == 4


def test_files_that_are_changed_removed_or_given_twice(days: Days) -> None:
    days.results(SCORED)
    days.add(2, 4100)
    assert days.results(SCORED) == days.results(SCORED, cache=False)
    (days.folder / "day00.parquet").unlink()
    assert days.results(SCORED) == days.results(SCORED, cache=False)
    twice = days.folder / "day09.parquet"
    twice.write_bytes((days.folder / "day01.parquet").read_bytes())
    assert days.results(SCORED) == days.results(SCORED, cache=False)
    for fresh in (True, False):
        assert days.results(SCORED, fresh=fresh) == days.results(SCORED, cache=False)


def test_the_same_content_in_another_partition_is_another_file(tmp_path: Path, days: Days) -> None:
    days.folder = tmp_path / "sites"
    for site in ("a", "b"):
        days.add(1, below=f"site={site}")
    job = {**SCORED, "subgroups": ["site"]}
    days.results(job)
    days.add(1, below="site=c")
    assert days.results(job) == days.results(job, cache=False)


def test_what_is_not_as_written_is_counted_again(days: Days) -> None:
    good = days.results(SCORED)
    files = days.entries()
    assert len(files) == 4
    for number, path in enumerate(files):
        body = bytearray(path.read_bytes())
        body[-1 - 20 * number] ^= 1
        path.write_bytes(bytes(body[: None if number % 2 else -3]))
    assert days.results(SCORED) == good
    assert len(days.counted) == 4
    # an entry put into the place of another one is as good as none
    one, *others = days.entries()
    assert len(others) == 3
    for other in others:
        other.write_bytes(one.read_bytes())
    assert days.results(SCORED) == good
    assert len(days.counted) == 3


def test_another_version_counts_again(days: Days, monkeypatch: pytest.MonkeyPatch) -> None:
    days.results(SCORED)
    monkeypatch.setattr(kept_kinds, "__version__", "99")
    days.results(SCORED)
    assert len(days.counted) == 4


def test_what_is_kept_is_bounded(days: Days) -> None:
    days.results(SCORED)
    sizes = [path.stat().st_size for path in days.entries()]
    KeptKinds(days.cache / "kinds", most=sum(sizes) // 2 + 500).bound()
    assert len(days.entries()) == 2


def test_a_folder_that_cannot_be_written_to_costs_only_time(days: Days) -> None:
    days.cache.parent.mkdir(parents=True)
    days.cache.write_text("no folder")
    assert days.results(SCORED) == days.results(SCORED, cache=False)
