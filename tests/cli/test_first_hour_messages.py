"""What a newcomer meets in the first hour: a first spec, wrong names, an empty answer."""

from __future__ import annotations

from pathlib import Path

import pytest

import evalreport
from evalreport.cli import status_of
from evalreport.errors import DataError
from evalreport.spec.first_spec import first_look
from evalreport.spec.load import parse_spec

ROWS = "Patient ID,truth,score: A [%],p(B),said,sex,zip\n" + "".join(
    f"P{n},{'ill' if n % 3 == 0 else 'well'},0.{n:02d}1,0.{99 - n},"
    f"{'ill' if n % 2 else 'well'},{'F' if n % 2 else 'M'},{8000 + n}\n"
    for n in range(10, 40)
)

SPEC = """evalreport: 1
title: A first hour
datasets:
  holdout:
    path: data.csv
    target: truth
    id: PatientID
positive: {label: ill}
models:
  A: {score: "score: A [%]"}
  B: {scor: "p(B)"}
  doc: {prediction: sayd}
metrics: [recall]
subgroups: [Sex]
acceptance:
  - {metric: recall, at_least: 0.9, subgroup: {sex: F}}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "data.csv").write_text(ROWS)
    (tmp_path / "audit.yaml").write_text(SPEC)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_check_tells_wrong_keys_and_wrong_columns_together(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert status_of(["check", "audit.yaml"]) == 2
    assert capsys.readouterr().err.splitlines() == [
        "audit.yaml:7:9: no column 'PatientID' in data.csv; did you mean 'Patient ID'?",
        "audit.yaml:11:7: unknown key 'scor'; did you mean 'score'?",
        "audit.yaml:12:21: no column 'sayd' in data.csv; did you mean 'said'?",
        "audit.yaml:14:13: no column 'Sex' in data.csv; did you mean 'sex'?",
        "audit.yaml:16:47: 'sex' is not among the subgroups; did you mean 'Sex'?",
    ]


def test_a_missing_target_is_no_missing_column(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = SPEC.replace("    target: truth\n", "").replace("PatientID", "Patient ID")
    (folder / "audit.yaml").write_text(text)
    assert status_of(["check", "audit.yaml"]) == 2
    assert "'target'" not in capsys.readouterr().err.replace("target is missing", "")


def repaired(positive: str) -> str:
    """The spec without its mistakes, one model of labels, this positive class."""
    return (
        SPEC.replace("PatientID", "Patient ID")
        .replace("sayd", "said")
        .replace("[Sex]", "[sex]")
        .replace('  B: {scor: "p(B)"}\n', "")
        .replace("{label: ill}", positive)
        .replace("0.9,", "0.1,")
    )


def test_a_mistyped_positive_class_is_told_and_makes_no_third_class(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "audit.yaml").write_text(repaired("{label: il}"))
    assert status_of(["plan", "audit.yaml"]) == 3
    assert capsys.readouterr().err == (
        "audit.yaml:8:11: the positive class 'il' is not a class of data.csv; did you mean 'ill'?\n"
    )


def test_a_mistyped_positive_class_of_labels_alone_is_told_from_python() -> None:
    text = """evalreport: 1
title: t
datasets: {d: {target: y}}
positive: {label: jes}
models: {m: {prediction: p}}
metrics: [recall]
"""
    Path("t.yaml").write_text(text)
    with pytest.raises(DataError, match="the positive class 'jes' is not a class of d"):
        evalreport.run("t.yaml", frames={"d": {"y": ["yes", "no"], "p": ["yes", "yes"]}})


def test_a_positive_class_that_did_not_occur_this_time_is_accepted() -> None:
    text = """evalreport: 1
title: t
datasets: {d: {target: y}}
positive: {label: "yes"}
models: {m: {prediction: p}}
metrics: [specificity]
"""
    Path("t.yaml").write_text(text)
    found = evalreport.run("t.yaml", frames={"d": {"y": ["no", "no"], "p": ["no", "no"]}})
    assert [(m["numerator"], m["denominator"]) for m in found.json["measures"]] == [(2, 2)]


def test_results_introduce_themselves_as_a_table() -> None:
    Path("audit.yaml").write_text(repaired("{label: ill}"))
    results = evalreport.run("audit.yaml")
    passed = sum(entry["outcome"] == "pass" for entry in results.json["acceptance"])
    lines = repr(results).splitlines()
    assert lines[0] == "A first hour"
    assert "positive class: ill" in lines
    assert f"passed: {passed} of 2 outcomes of 1 criterion for 2 models" in lines


def test_a_first_spec_finds_columns_with_signs_in_their_names() -> None:
    spec = parse_spec(first_look(Path("data.csv"), Path(), "truth").text()).spec
    assert spec.datasets["data"].id == "Patient ID"
    assert list(spec.models) == ["score: A [%]", "p(B)", "said"]


def test_a_first_spec_names_the_columns_it_does_not_use() -> None:
    lines = first_look(Path("data.csv"), Path(), "truth").text().splitlines()
    assert "# columns not used: zip" in lines


def test_a_line_break_in_a_column_name_stays_in_its_line() -> None:
    Path("odd.csv").write_text('truth,p,"a\nb\u2028c"\n' + "yes,0.5,1.5\nno,0.25,2.5\n" * 3)
    text = first_look(Path("odd.csv"), Path()).text()
    assert '# columns not used: "a\\nb\\U00002028c"' in text.splitlines()
    assert list(parse_spec(text).spec.models) == ["p"]


def test_a_search_without_an_answer_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of(["metrics", "--search", "zzz"]) == 0
    assert capsys.readouterr() == (
        "",
        "no metric mentions 'zzz'; all are listed without --search\n",
    )


def test_help_without_a_command_does_not_point_to_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of([]) == 2
    assert "(evalreport --help)" not in capsys.readouterr().err


@pytest.mark.long
def test_a_rerun_elsewhere_says_how_to_name_the_spec(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("audit.yaml").write_text(repaired("{label: ill}"))
    status_of(["run", "audit.yaml", "--formats", "html", "--quiet"])
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    capsys.readouterr()
    assert status_of(["verify", "--rerun", "../runs/latest"]) == 4
    assert capsys.readouterr().err == (
        "audit.yaml: the spec of this run is not in the current folder; "
        "where it is, with --spec PATH\n"
    )


@pytest.mark.long
def test_a_rerun_on_other_data_names_the_file(capsys: pytest.CaptureFixture[str]) -> None:
    Path("audit.yaml").write_text(repaired("{label: ill}"))
    status_of(["run", "audit.yaml", "--formats", "html", "--quiet"])
    Path("data.csv").write_text(ROWS + "P99,ill,0.991,0.2,ill,F,8099\n")
    capsys.readouterr()
    assert status_of(["verify", "--rerun", "runs/latest"]) == 5
    told = capsys.readouterr().err
    assert "data.csv is not the file that this run read: its sha256 differs" in told
    assert "comes out differently" not in told
