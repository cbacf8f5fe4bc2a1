"""Specs that attack: what has to happen, in under a second, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from evalreport.errors import ExitStatus, SpecError
from evalreport.spec.load import LoadedSpec, load_spec

FOLDER = Path(__file__).parent / "hostile"


def outcome(path: Path) -> LoadedSpec | list[str]:
    found: LoadedSpec | SpecError
    try:
        found = load_spec(path)
    except SpecError as error:
        found = error
    if isinstance(found, LoadedSpec):
        return found
    assert found.status == ExitStatus.USAGE
    return [str(problem).removeprefix(f"{path}:") for problem in found.problems]


REFUSED = {
    "alias_bomb.yaml": ["9:5: anchors are not allowed: &a0; remove it",
                        "10:5: anchors are not allowed: &a1; remove it",
                        "10:10: aliases are not allowed: *a0; write the values out"],
    "merge_bomb.yaml": ["2:4: anchors are not allowed: &m0; remove it"],
    "duplicate_key.yaml": [("9:1: key 'thresholds' is written twice, on lines 8 and 9; "
                           "keep one of them")],
    "tag.yaml": ["8:14: tags are not allowed: !!bool; remove it"],
    "python_tag.yaml": ["2:8: tags are not allowed: !!python/object/apply:os.system; remove it"],
    "foreign_paths.yaml": [
        ("4:13: '/etc/passwd': unknown suffix, so the format is not known; "
        "a file ending in .csv, .tsv, .jsonl (each also with .gz), .parquet or .xlsx, "
            "or a folder ending in /"),
        "8:1: unknown key 'output'; on the command line: evalreport run SPEC -o FOLDER",
        ("9:37: no such template: '../../../../../../../../etc/passwd'; standard, clinical, audit, "
        "model_card, minimal, quick, or a folder relative to the spec"),
    ],
    "misspelt_keys.yaml": ["8:1: unknown key 'treshold'; did you mean 'thresholds'?",
                           "9:1: unknown key 'metrics_'; did you mean 'metrics'?"],
    "empty.yaml": ["there is nothing in it; a spec starts with 'evalreport: 1'"],
    "list.yaml": ["1:1: a spec is a mapping; this is a list; it starts with 'evalreport: 1'"],
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_an_attack_is_refused(name):
    found = outcome(FOLDER / name)
    assert isinstance(found, list)
    expected = REFUSED[name]
    assert [line.strip() for line in found[: len(expected)]] == expected
    if not name.endswith("bomb.yaml"):
        assert len(found) == len(expected)


def test_deep_nesting_and_huge_numbers_are_refused(tmp_path):
    head = "evalreport: 1\nmetrics: "
    deep = tmp_path / "deep.yaml"
    deep.write_text(head + "[" * 200_000)
    assert outcome(deep) == ["2:49: nested deeper than 40; a flatter spec"]
    huge = tmp_path / "huge.yaml"
    huge.write_text(f"evalreport: 1\nconfidence: {{seed: {'9' * 5000}}}\n")
    assert outcome(huge) == [
        (
            "2:20: number out of range: 99999999999999999999... (5,000 characters); "
            "a smaller number, or quotes around text"
        )
    ]


def test_norway_is_text():
    found = outcome(FOLDER / "norway.yaml")
    assert isinstance(found, LoadedSpec)
    assert found.spec.title == "no"
    assert found.spec.datasets["on"].labels == ("yes", "no")
    assert list(found.spec.models) == ["off"]
    assert found.spec.positive.model_dump() == {"label": "no"}


def test_template_source_in_a_title_stays_as_written():
    found = outcome(FOLDER / "template_source.yaml")
    assert isinstance(found, LoadedSpec)
    assert found.spec.title == "{{ cycler.__init__.__globals__ }} {{7*7}} {% raw %} ${HOME}"


def test_a_pattern_in_a_file_name_is_a_file_name():
    found = outcome(FOLDER / "pattern.yaml")
    assert isinstance(found, LoadedSpec)
    assert found.spec.datasets["d"].path == "../data/data[1]*?.csv"
