"""Tables of files that were counted before are taken as they are: new files alone are counted."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from sqlglot import exp

from evalreport.engine.counting import added_rows, queries, text_rows
from evalreport.engine.counting.adding_up import added, additive, counted_kinds, limited
from evalreport.engine.counting.kept_counts import KeptCounts, packed, unpacked
from evalreport.engine.counting.queries import Binning, Field
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
    (h % 50) / 50 AS s, 1 - (h % 50) / 50 AS rest,
    h / 100003 AS fine, h / 7.0 - 5000 AS m, 'c' || h % 40 AS c, 1 + h % 3 AS w,
    CASE WHEN h % 11 > 0 THEN 'g' || h % 3 END AS g,
    DATE '2026-01-28' + CAST({day} AS INTEGER) AS at, 'i' || {day} || '-' || i AS id
    FROM (SELECT i, (i * 7919 + i * i * 31 + {day} * 77) % 100003 AS h FROM range({rows}) t(i))"""

SCORED = {"models": {"m": {"score": "s"}}, "metrics": ["accuracy", "recall", "roc_auc", "brier"]}
BINNED = {
    **SCORED,
    "models": {"m": {"score": "fine"}},
    "engine": {"memory_limit": "1MB", "bins": 100},
}
#: Specs that ask questions of every kind.
JOBS: dict[str, dict[str, Any]] = {
    "every score": SCORED,
    "bins of scores": BINNED,
    "margins in bins": {
        "models": {"m": {"margin": "m"}},
        "metrics": ["roc_auc"],
        "engine": {"memory_limit": "1MB", "bins": 100},
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
    "scores of each class, described": {
        "models": {"m": {"scores": {"sick": "s", "well": "rest"}}},
        "metrics": ["accuracy"],
        "report": {"characteristics": ["w"]},
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
    """A folder of one file a day, a folder of runs, and how many files are looked into."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.cache = folder / "days", folder / "runs" / ".cache"
        self.asked: list[int] = []
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
        self.asked.clear()
        fitting = Fitting(cache=self.cache if cache else None, fresh=fresh)
        prepared = prepare(parse_spec(json.dumps(spec)), fitting=fitting)
        assert prepared.engine == "duckdb", prepared.engine_reason
        return json.dumps(encode(evaluate(prepared, "2026-01-01T00:00:00Z")), sort_keys=True)

    def entries(self, kind: str) -> list[Path]:
        return sorted((self.cache / "counted").glob(f"*/*.{kind}"))


@pytest.fixture
def days(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Days:
    found = Days(tmp_path)
    before = added_rows.AddedRows._asked

    def asked(self: Any, query: exp.Select, places: Sequence[int]) -> Any:
        found.asked.append(len(places))
        return before(self, query, places)

    monkeypatch.setattr(added_rows.AddedRows, "_asked", asked)
    for day in range(4):
        found.add(day)
    return found


@pytest.mark.long
@pytest.mark.parametrize("job", JOBS)
def test_a_night_beside_counted_ones_gives_the_bytes_of_a_full_count(days: Days, job: str) -> None:
    days.results(JOBS[job])
    days.add(4, 4500)
    night = days.results(JOBS[job])
    whole = [n for n in days.asked if n > 1]
    # whether an id stands twice is asked of all files, once for each model that is checked
    assert whole == ([5, 5] if "ids" in job else [])
    assert days.asked.count(1) >= 1
    assert night == days.results(JOBS[job], cache=False)


@pytest.mark.long
@pytest.mark.nightly_but_each(3)
@pytest.mark.parametrize("kind", ["csv", "csv.gz"])
@pytest.mark.parametrize("job", ["bins of scores", "rows left out", "months"])
def test_text_is_scanned_once(
    days: Days, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, job: str
) -> None:
    seen: list[str] = []
    before = text_rows.scanned

    def scanned(part: Any, asked: Sequence[str]) -> Any:
        seen.append(part.name)
        return before(part, asked)

    monkeypatch.setattr(text_rows, "scanned", scanned)
    days.folder, days.kind = tmp_path / "text", kind
    for day in range(3):
        days.add(day, below=f"part={day % 2}")
    asked = {**JOBS[job], "subgroups": ["part"]}
    days.results(asked)
    seen.clear()
    new = days.add(3, below="part=1")
    night = days.results(asked)
    assert seen == [f"part=1/{new.name}"]
    assert set(days.asked) == {1}
    assert night == days.results(asked, cache=False)
    days.asked.clear()
    assert days.results(asked) == night
    assert days.asked == []
    # a file that goes away: the others are added up, those that were not worth it scanned again
    new.unlink()
    assert days.results(asked) == days.results(asked, cache=False)


@pytest.mark.parametrize(
    ("line", "told"),
    [("y,fine\nsick,0.5", "columns are not those"), ("y,fine\nsick,0.5,7", "3 fields")],
)
def test_text_that_does_not_fit_is_told_of(
    days: Days, tmp_path: Path, line: str, told: str
) -> None:
    days.folder, days.kind = tmp_path / "text", "csv"
    days.add(1)
    days.results(BINNED)
    (days.folder / "day02.csv").write_text(f"{line}\n", encoding="utf-8")
    with pytest.raises(DataError, match=told):
        days.results(BINNED)


def test_nothing_is_counted_where_nothing_is_new_unless_fresh(days: Days) -> None:
    first = days.results(SCORED)
    assert days.asked
    assert days.results(SCORED) == first
    assert days.asked == []
    assert days.results(SCORED, fresh=True) == first
    assert days.asked


@pytest.mark.long
def test_files_that_are_changed_removed_or_given_twice(days: Days) -> None:
    days.results(SCORED)
    days.add(2, 4100)
    assert days.results(SCORED) == days.results(SCORED, cache=False)
    (days.folder / "day00.parquet").unlink()
    assert days.results(SCORED) == days.results(SCORED, cache=False)
    twice = days.folder / "day09.parquet"
    twice.write_bytes((days.folder / "day01.parquet").read_bytes())
    assert days.results(SCORED) == days.results(SCORED, cache=False)


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
    for kind in ("file", "files", "json"):
        for number, path in enumerate(days.entries(kind)):
            body = bytearray(path.read_bytes())
            body[-1 - number] ^= 1
            path.write_bytes(bytes(body[: None if number % 2 else -3]))
    assert days.results(SCORED) == good
    assert days.asked
    # an entry put into the place of another one is as good as none
    one, *others = days.entries("files")
    for other in others:
        other.write_bytes(one.read_bytes())
    assert days.results(SCORED) == good


def test_another_version_counts_again(days: Days, monkeypatch: pytest.MonkeyPatch) -> None:
    days.results(SCORED)
    monkeypatch.setattr(added_rows, "__version__", "99")
    days.results(SCORED)
    assert days.asked


@pytest.mark.long
def test_tables_nearly_as_large_as_their_files_are_not_kept(days: Days) -> None:
    """Nearly every score is one of its own: each night counts all, and nothing takes its room."""
    fine = {**SCORED, "models": {"m": {"score": "fine"}}}
    days.results(fine)
    days.add(4)
    assert days.results(fine) == days.results(fine, cache=False)
    rows = [len(unpacked(p.read_bytes().split(b"\n", 1)[1])[1]["n"]) for p in days.entries("file*")]
    assert rows
    assert max(rows) <= 100


def test_files_that_change_while_they_are_counted_are_not_kept(
    days: Days, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(KeptCounts, "store", lambda _self: None)
    days.results(SCORED)
    assert days.entries("*") == []


def test_what_is_kept_is_bounded(tmp_path: Path) -> None:
    kept = KeptCounts(tmp_path, most=3_000)
    answer = {"k0": np.arange(100), "n": np.arange(100) * 1000}
    for number in range(6):
        kept.keep_files("question", [f"f{number}"], answer)
        kept.store()
        assert len(list(tmp_path.glob("question/*.files"))) <= 3
    for number in range(20):
        kept.keep_file(f"q{number}", "f", answer)
        kept.store()
    assert sum(p.stat().st_size for p in tmp_path.glob("*/*")) <= 3_000
    # the newest stays
    assert kept.of_file("q19", "f") is not None
    assert kept.of_file("q0", "f") is None


def test_a_folder_that_cannot_be_written_to_costs_only_time(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    kept = KeptCounts(tmp_path / "file" / "counted")
    kept.keep_file("q", "f", {"n": np.array([1])})
    kept.store()
    assert kept.of_file("q", "f") is None


def test_an_entry_gives_back_what_was_put_in() -> None:
    answer = {
        "k0": np.ma.MaskedArray(np.array(["a", "ü", ""], object), [False, False, True]),
        "k1": np.array([1.5, -0.0, np.nan]),
        "k2": np.array([True, False, True]),
        "n": np.ma.MaskedArray(np.array([-5, 2**40, 7]), [False, True, False]),
        "m": np.array([1, 2, 300], np.int32),
    }
    files, found = unpacked(packed(["f"], answer))
    assert files == ["f"]
    for name, column in answer.items():
        assert found[name].dtype == column.dtype
        gone = np.ma.getmaskarray(column)
        assert np.array_equal(np.ma.getmaskarray(found[name]), gone)
        given, got = (np.ma.getdata(one)[~gone] for one in (column, found[name]))
        assert list(map(repr, got.tolist())) == list(map(repr, given.tolist()))


SCORE, LABEL = Field(0, "DOUBLE"), Field(1, "VARCHAR")


def test_which_questions_add_up() -> None:
    counts = queries.score_counts([LABEL.value], SCORE, None, Binning(100, 0.0, 1.0))
    assert additive(counts) == {
        "k0": "key", "bin": "key", "step": "key", "n": "sum", "low": "min", "high": "max",
    }  # fmt: skip
    assert additive(queries.cells([LABEL], SCORE, None)) is not None
    assert additive(queries.uncountable(SCORE)) == {"n": "sum", "total": "sum"}
    for other in (
        queries.repeated(LABEL),
        queries.how_many([LABEL.value], None),
        queries.distinct_scores(SCORE, None, 10),
        exp.select("k0", exp.alias_(exp.Sum(this=exp.column("s")), "sum_of_floats")).from_("data"),
    ):
        assert additive(other) is None
    assert counted_kinds(queries.how_many([LABEL.value], None)) is not None
    assert counted_kinds(queries.distinct_scores(SCORE, None, None)) is not None
    assert counted_kinds(queries.distinct_scores(SCORE, None, 10)) is None
    assert limited(queries.distinct_scores(SCORE, None, 10)) == 10
    assert limited(queries.repeated(LABEL)) is None


@pytest.mark.parametrize("wide", [False, True])
def test_answers_add_up_as_one_count_of_all_rows(wide: bool) -> None:
    """Missing keys, both zeros, numbers of all sizes; in one word or several."""
    connection = duckdb.connect()
    huge = "hash(i % 7)" if wide else "i % 7"
    rows = f"""SELECT i, CASE WHEN i % 5 > 0 THEN 'x' || i % 4 END AS a, {huge} AS b,
        CASE WHEN i % 3 = 0 THEN -0.0 WHEN i % 3 = 1 THEN 0.0 ELSE i % 11 END AS s,
        i % 2 = 0 AS t, CASE WHEN i % 4 > 1 THEN i / 7.0 END AS v FROM range(500) r(i)"""
    query = """SELECT a AS k0, b AS k1, s AS k2, t AS k3, count(*) AS n, min(v) AS low,
        max(v) AS high FROM ({}) WHERE {} GROUP BY ALL"""
    parts = {
        **dict.fromkeys(["k0", "k1", "k2", "k3"], "key"),
        "n": "sum",
        "low": "min",
        "high": "max",
    }
    asked = ["i < 130", "i BETWEEN 130 AND 399", "i >= 400", "i < 0"]
    answers = [connection.execute(query.format(rows, w)).fetchnumpy() for w in asked]
    whole = connection.execute(query.format(rows, "true")).fetchnumpy()

    def listed(answer: Any) -> list[Any]:
        columns = [np.ma.MaskedArray(answer[name]).tolist() for name in parts]
        return sorted(zip(*columns, strict=True), key=repr)

    total = added(answers, parts)
    assert [str(row) for row in listed(total)] == [
        str(row).replace("-0.0", "0.0") for row in listed(whole)
    ]
    assert total["n"].dtype == whole["n"].dtype


def test_sums_without_keys_may_be_of_nothing() -> None:
    none = {"n": np.ma.MaskedArray([0.0], [True]), "total": np.array([2.0])}
    some = {"n": np.array([3.0]), "total": np.array([4.0])}
    total = added([none, some], {"n": "sum", "total": "sum"})
    assert (total["n"].tolist(), total["total"].tolist()) == ([3.0], [6.0])
    assert np.ma.getmaskarray(added([none, none], {"n": "sum", "total": "sum"})["n"]).all()
