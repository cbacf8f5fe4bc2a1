from __future__ import annotations

import pytest

from evalreport.data.labels import look_alikes


@pytest.mark.parametrize(
    ("one", "other", "reason"),
    [
        ("007", "7", "leading zeros"),
        ("-01", "-1", "leading zeros"),
        ("caf\u00e9", "cafe\u0301", "letters composed in another way"),
        ("a b", "a\u00a0b", "full-width or compatibility characters"),
        ("ab", "a\u200bb", "characters that do not print"),
        ("ab", "a\u0007b", "characters that do not print"),
        ("cat", "c\u0430t", "letters of another script"),
        ("cat", "\uff43\uff41\uff54", "full-width or compatibility characters"),
        ("cat", "cat ", "spaces"),
        ("a b", "a  b", "spaces"),
        ("Cat", "cat", "upper and lower case"),
    ],
)
def test_labels_that_look_alike_are_told_with_the_reason(one: str, other: str, reason: str) -> None:
    found = look_alikes([one, "something else", other])[0]
    assert found.code == "look_alike_labels"
    assert found.details == {"labels": [(one, other)]}
    assert reason in found.message
    assert found.message.isprintable()


def test_labels_that_differ_are_left_alone() -> None:
    assert look_alikes(["cat", "dog", "naïve", "кот", "0", "00x"]) == ()


@pytest.mark.parametrize(
    "label", ["", "a\u200b", " a", "a ", "a\u00a0b", "\u202ea", "a\nb", "c\u0430t", "a\x7f"]
)
def test_a_label_with_hidden_characters_is_told_even_alone(label: str) -> None:
    found = look_alikes([label, "zzz"])[0]
    assert found.code == "hidden_characters"
    assert found.details == {"labels": [label]}
    assert found.message.isprintable()


def test_only_the_first_groups_are_listed() -> None:
    labels = [text for i in range(10, 20) for text in (f"{i}", f"0{i}")]
    assert "and 5 more" in look_alikes(labels)[0].message
