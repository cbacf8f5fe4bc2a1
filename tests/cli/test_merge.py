"""Files of several sites, added up: the report is that of the pooled rows."""

from __future__ import annotations

import hashlib
import json
import math
import random
from pathlib import Path
from typing import Any

import pytest

from evalreport.cli import status_of

SPEC = """evalreport: 1
datasets:
  d: {{path: {path}, target: y{more}}}
models: {{m: {{score: s}}, said: {{prediction: p}}}}
positive: {{label: ill}}
metrics: [recall, specificity, accuracy, roc_auc, brier]
subgroups: [site]
report: {{formats: [json]}}
"""


@pytest.fixture(scope="module")
def sites(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sites")
    rng = random.Random(8)
    for site in "AB":
        lines = [
            f"{site}{k},{rng.choice(('ill', 'well'))},{rng.choice(('ill', 'well'))},"
            f"{rng.choice((0.1, 0.40, 0.5, 0.9))},{site}"
            for k in range(150)
        ]
        (folder / f"{site}.csv").write_text("\n".join(["case,y,p,s,site", *lines]) + "\n")
    return folder


def results(folder: Path, name: str, path: str, more: str = "") -> Any:
    spec = folder / f"{name}.yaml"
    spec.write_text(SPEC.format(path=path, more=more))
    assert status_of(["run", str(spec), "-o", str(folder / name), "--quiet"]) == 0
    return json.loads((folder / name / "latest" / "results.json").read_text())


def test_the_merged_report_is_that_of_the_pooled_rows(
    sites: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for site in "AB":
        own = [str(sites / f"{site}.csv"), "-o", str(sites / f"kinds{site}.csv")]
        assert status_of(["merge", *own, "--columns", "y,p,s,site"]) == 0
    kinds = [str(sites / "kindsA.csv"), str(sites / "kindsB.csv")]
    capsys.readouterr()
    assert status_of(["merge", *kinds, "-o", str(sites / "all.csv")]) == 0
    told = capsys.readouterr().out
    for path in kinds:
        assert hashlib.sha256(Path(path).read_bytes()).hexdigest() in told
    assert "300 rows" in told
    assert "A1" not in (sites / "all.csv").read_text()
    merged = results(sites, "merged", "all.csv", ", count: count")
    pooled = results(sites, "pooled", '"[AB].csv"')
    assert merged["tables"] == pooled["tables"]
    assert merged["measures"] == pooled["measures"]
    assert {m["n"] for m in merged["measures"] if not m["subgroup"]} == {300}


def test_counts_add_up_exactly_and_values_stay_as_written(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('y,s,n\nill,0.10,9007199254740000\nwell,"a,b",2\n')
    (tmp_path / "b.csv").write_text("y,s,n\nill,0.10,991\nill,0.1,0\n")
    out = tmp_path / "c.csv"
    files = [str(tmp_path / "a.csv"), str(tmp_path / "b.csv")]
    assert status_of(["merge", *files, "-o", str(out), "--count", "n"]) == 0
    assert out.read_text() == 'y,s,n\nill,0.10,9007199254740991\nwell,"a,b",2\n'
    assert status_of(["merge", *files, "-o", str(out), "--count", "n"]) == 4


@pytest.mark.parametrize(
    ("second", "options", "status", "told"),
    [
        ("y,q\na,b\n", (), 3, "q"),
        ("y,p\na,b\n", ("--columns", "y,z"), 3, "no column 'z'"),
        ("y,p\na,a\n", (), 2, "the same content"),
        ("y,p\na,b\n", ("--columns", "y,y"), 2, "twice"),
    ],
)
def test_what_does_not_add_up_is_told_and_nothing_is_written(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    second: str,
    options: tuple[str, ...],
    status: int,
    told: str,
) -> None:
    (tmp_path / "a.csv").write_text("y,p\na,a\n")
    (tmp_path / "b.csv").write_text(second)
    files, out = [str(tmp_path / "a.csv"), str(tmp_path / "b.csv")], tmp_path / "c.csv"
    assert status_of(["merge", *files, "-o", str(out), *options]) == status
    assert told in capsys.readouterr().err
    assert not out.exists()


SCORED = """evalreport: 1
datasets:
  d: {{path: {path}, target: y{more}}}
models: {{m: {{score: s}}, other: {{score: t}}}}
positive: {{label: ill}}
metrics: [recall, specificity, accuracy, roc_auc, average_precision, brier, log_loss, ks, f1]
thresholds: [0.5, 0.3]
comparisons: {{reference: other}}
subgroups: [site]
report: {{formats: [json]}}
"""


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Rows of two sites with scores of their own, and what each site hands over of them."""
    folder = tmp_path_factory.mktemp("scored")
    rng = random.Random(9)
    for site in "AB":
        lines = []
        for _ in range(400):
            ill = rng.random() < 0.3
            one, other = (min(max(rng.gauss(0.4 + 0.25 * ill, 0.2), 0.001), 0.999) for _ in "st")
            lines.append(f"{'ill' if ill else 'well'},{one!r},{other!r},{site}")
        (folder / f"{site}.csv").write_text("\n".join(["y,s,t,site", *lines]) + "\n")
        out = ["merge", str(folder / f"{site}.csv"), "-o", str(folder / f"kinds{site}.csv")]
        assert status_of([*out, "--grain", "s=0.02,t=0.05"]) == 0
    both = [str(folder / f"kinds{site}.csv") for site in "AB"]
    assert status_of(["merge", *both, "-o", str(folder / "all.csv")]) == 0
    return folder


def report(folder: Path, name: str, path: str, more: str = "") -> Any:
    spec = folder / f"{name}.yaml"
    spec.write_text(SCORED.format(path=path, more=more))
    status = status_of(["run", str(spec), "-o", str(folder / name), "--quiet"])
    if status:
        return status
    assert status_of(["verify", str(folder / name / "latest")]) == 0
    return json.loads((folder / name / "latest" / "results.json").read_text())


@pytest.mark.long
def test_rounded_scores_of_sites_add_up_to_those_of_all_rows(scored: Path) -> None:
    merged = report(scored, "merged", "all.csv", ", count: count")
    rows = scored / "rows.csv"
    lines = [line.split(",") for site in "AB" for line in open_lines(scored / f"{site}.csv")]
    text = [f"{y},{to(s, 50)},{to(t, 20)},{site}" for y, s, t, site in lines]
    rows.write_text("\n".join(["y,s,t,site", *text]) + "\n")
    pooled = report(scored, "pooled", "rows.csv")
    for part in ("measures", "comparisons", "curves", "tables"):
        assert merged[part] == pooled[part], part
    assert len(open_lines(scored / "all.csv")) < len(lines)


def open_lines(path: Path) -> list[str]:
    return path.read_text().splitlines()[1:]


def to(score: str, steps: int) -> float:
    return math.floor(float(score) * steps + 0.5) / steps


@pytest.mark.parametrize("grain", ["s", "s=0", "s=x", "=5", "s=-1", "s=inf", "s=nan"])
def test_what_is_no_grain_is_refused(tmp_path: Path, grain: str) -> None:
    (tmp_path / "a.csv").write_text("y,s\nill,0.1\n")
    out = ["merge", str(tmp_path / "a.csv"), "-o", str(tmp_path / "b.csv"), "--grain", grain]
    assert status_of(out) == 2


def test_a_column_that_looks_like_counts_and_is_not_named_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.csv").write_text("y,p,n\na,a,4\nb,b,3\n")
    made = ["merge", str(tmp_path / "a.csv"), "-o"]
    assert status_of([*made, str(tmp_path / "one.csv")]) == 0
    assert "where n is how many, give --count n" in capsys.readouterr().err
    assert status_of([*made, str(tmp_path / "two.csv"), "--count", "n"]) == 0
    told = capsys.readouterr()
    assert "7 rows of 2 kinds" in told.out
    assert "--count" not in told.err
