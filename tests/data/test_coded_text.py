"""A column of text by its codes is the column of its texts."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np

from evalreport.data.table import CodedText, RawColumn

TEXTS = ["b", "", "a", "c"]
CODES = np.array([2, 0, -1, 2, 1], np.int32)


def test_it_is_what_its_values_are() -> None:
    coded = CodedText.of("word", CODES, TEXTS)
    plain = RawColumn("word", "text", coded.values, coded.missing)
    assert coded.values[~coded.missing].tolist() == ["a", "b", "a", ""]
    assert coded.missing.tolist() == [False, False, True, False, False]
    for places in (np.arange(5), np.array([4, 2, 3])):
        one, other = coded.at(places).factorize(), plain.at(places).factorize()
        assert one[0].tolist() == other[0].tolist()
        assert one[1] == other[1]
    assert coded.of_objects


def test_what_replaces_its_values_has_its_own() -> None:
    coded = CodedText.of("word", CODES, TEXTS)
    found = replace(coded, kind="integer", values=np.arange(5))
    assert type(found) is RawColumn
    assert not found.of_objects
    assert replace(coded, name="other").values.tolist() == coded.values.tolist()


def test_it_goes_to_another_process() -> None:
    coded = CodedText.of("word", CODES, TEXTS)
    again = pickle.loads(pickle.dumps(coded))
    assert again.values.tolist() == coded.values.tolist()
