"""The results of one recorded run as they are read, and tables as they are recorded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from runs.publish_once import WHEN, details, publish, spec_sha256
from verify.whole_results import whole

from evalreport.engine.counting.classification import DENSE_LABELS, ClassificationTable
from evalreport.engine.printed_table import PrintedTable
from evalreport.engine.reference.run import ReferenceRun, read_file
from evalreport.errors import FilesError, LimitError, VerificationError
from evalreport.results.codec import decode, encode
from evalreport.results.identity import Slice
from evalreport.results.records import MissingRows
from evalreport.runs.hashing import canonical_json, sha256
from evalreport.runs.recorded import read_recorded
from evalreport.runs.run_folder import RunFolder

CONTENT = whole(at="2026-11-21T12:00:00Z")


def published(runs: Path, content: Any) -> Path:
    with RunFolder(runs, spec_sha256("one"), WHEN, 20.0) as folder:
        folder.write("results.json", canonical_json(content))
        return folder.publish(details())


def test_a_run_is_read_by_its_folder_or_a_link_to_it(tmp_path: Path) -> None:
    run = published(tmp_path / "runs", CONTENT)
    for path in (run, tmp_path / "runs" / "latest"):
        found = read_recorded(path)
        assert (found.name, found.of) == (run.name, "2026-11-21T12:00:00Z")
        assert found.sha256 == sha256((run / "results.json").read_bytes())


def test_results_by_themselves_need_no_manifest(tmp_path: Path) -> None:
    alone = tmp_path / "kept.json"
    alone.write_text(json.dumps(whole()))
    found = read_recorded(alone)
    assert (found.name, found.of, found.results) == (tmp_path.name, "", decode(whole()))
    # beside a manifest of another run, under a name of its own
    beside = published(tmp_path / "runs", CONTENT) / "other.json"
    beside.parent.chmod(0o755)
    beside.write_text(json.dumps(whole()))
    assert read_recorded(beside).of == ""


def test_a_run_without_a_clock() -> None:
    assert ReferenceRun("r", "0", decode(whole(provenance={}))).of == ""


def test_there_are_no_results(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "absent"):
        with pytest.raises(FilesError, match=r"no results\.json") as caught:
            read_recorded(path)
        assert "RUNS/latest" in str(caught.value)


def test_results_changed_after_publishing_are_refused(tmp_path: Path) -> None:
    run = published(tmp_path / "runs", CONTENT)
    file = run / "results.json"
    file.chmod(0o644)
    file.write_text(file.read_text() + " ")
    with pytest.raises(VerificationError, match="altered: sha256"):
        read_recorded(run)


def test_what_is_no_results_file(tmp_path: Path) -> None:
    for text in ("{", "[]", '{"schema": "another/1"}'):
        (tmp_path / "results.json").write_text(text)
        with pytest.raises(FilesError, match=r"is not a results\.json"):
            read_recorded(tmp_path)
    with pytest.raises(FilesError, match=r"is not a results\.json"):
        read_recorded(publish(tmp_path / "runs"))


# -- tables as they are recorded ------------------------------------------------------------------


def recorded(table: ClassificationTable, **more: Any) -> dict[str, Any]:
    where = Slice((("sex", "f"),), "1")
    return encode(PrintedTable("t1", "d", "m", where, 0.5, None, table, **more).record())


def test_a_table_of_two_classes_names_the_positive_one() -> None:
    table = ClassificationTable(("ill", "well"), 0, {(0, 0): 3, (1, 0): 2, (1, 1): 4}, 9)
    found = recorded(table)
    assert (found["labels"], found["positive"]) == (["ill", "well"], "ill")
    assert found["counts"] == [[3, 0], [2, 4]]
    assert (found["subgroup"], found["fold"]) == ({"sex": "f"}, "1")
    assert not {"cells", "label", "missing", "extra_columns"} & set(found)


@pytest.mark.parametrize("positive", [None, 1])
def test_a_table_of_more_classes_has_no_positive_one(positive: int | None) -> None:
    table = ClassificationTable(("a", "b", "c"), positive, {(0, 2): 1}, 1)
    assert recorded(table)["positive"] is None


def test_a_table_says_what_else_it_holds() -> None:
    table = ClassificationTable(("a", "b"), 0, {(0, 0): 3, (1, 2): 2}, 5, extra=("unsure",))
    found = recorded(table, label="b", missing=MissingRows((1, 0), (0, 2, 0), 4))
    assert found["counts"] == [[3, 0, 0], [0, 0, 2]]
    assert (found["extra_columns"], found["label"]) == (["unsure"], "b")
    assert found["missing"] == {
        "without_prediction": [1, 0], "without_target": [0, 2, 0], "without_both": 4,
    }  # fmt: skip


def test_a_table_of_very_many_classes_is_its_cells_in_order() -> None:
    labels = tuple(f"c{k:04d}" for k in range(DENSE_LABELS + 1))
    cells = {(7, 500): 2, (0, 3): 5}
    found = recorded(ClassificationTable(labels, None, cells, 7))
    assert found["counts"] is None
    assert found["cells"] == [[0, 3, 5], [7, 500, 2]]


def test_a_file_that_is_too_large_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "results.json"
    path.write_bytes(b"{}")
    monkeypatch.setattr("evalreport.engine.reference.run.MOST_BYTES", 1)
    with pytest.raises(LimitError, match="is larger than 1 bytes"):
        read_file(path)
