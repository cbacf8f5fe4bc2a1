"""Labels that a reader cannot tell apart, though they are different text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence

from evalreport.data.findings import Finding, quoted, some

#: Letters of Cyrillic, Greek and Armenian that print like a Latin letter.
_CONFUSABLE = str.maketrans(
    dict(
        zip(
            "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0455\u0456\u0458\u0501\u051b\u051d\u04bb"
            "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425\u0405\u0406\u0408"
            "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7"
            "\u03bf\u03bd\u03b9\u0585\u057d",
            "aeopcyxsijdqwhABEKMHOPCTXSIJABEZHIKMNOPTYXoviou",
            strict=True,
        )
    )
)
_LEADING_ZEROS = re.compile(r"^([+-]?)0+(?=[0-9])")


def _without_hidden(text: str) -> str:
    return "".join(c for c in text if unicodedata.category(c) not in ("Cf", "Cc"))


#: What may set two labels apart, each with the step that takes it away.
_STEPS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("letters composed in another way", lambda t: unicodedata.normalize("NFC", t)),
    ("characters that do not print", _without_hidden),
    ("full-width or compatibility characters", lambda t: unicodedata.normalize("NFKC", t)),
    ("spaces", lambda t: " ".join(t.split())),
    ("letters of another script", lambda t: t.translate(_CONFUSABLE)),
    ("upper and lower case", str.casefold),
    ("leading zeros", lambda t: _LEADING_ZEROS.sub(r"\1", t)),
)


def look_alikes(labels: Sequence[str]) -> tuple[Finding, ...]:
    """Findings on labels that look alike, and on labels with hidden characters.

    >>> [f.code for f in look_alikes(["007", "7", "x"])]
    ['look_alike_labels']
    """
    groups: dict[str, list[str]] = {}
    for label in labels:
        groups.setdefault(_skeleton(label), []).append(label)
    alike = [tuple(group) for group in groups.values() if len(group) > 1]
    findings = []
    if alike:
        told = some([_told(group) for group in alike])
        message = f"Labels look alike but are different classes: {told}."
        findings.append(Finding("look_alike_labels", message, {"labels": alike}))
    odd = [label for label in labels if _hidden(label)]
    if odd:
        message = (
            "Labels hold characters that do not show or belong to another script: "
            f"{some([_escaped(label) for label in odd])}."
        )
        findings.append(Finding("hidden_characters", message, {"labels": odd}))
    return tuple(findings)


def _skeleton(label: str) -> str:
    if label.isascii() and label.isprintable() and label == label.strip():
        return _LEADING_ZEROS.sub(r"\1", " ".join(label.casefold().split()))
    for _, step in _STEPS:
        label = step(label)
    return label


def _told(group: Sequence[str]) -> str:
    reasons = []
    left = list(group)
    for reason, step in _STEPS:
        changed = [step(label) for label in left]
        if len(set(changed)) < len(set(left)):
            reasons.append(reason)
        left = changed
    names = " and ".join(_escaped(label) for label in group[:3])
    return f"{names} ({', '.join(reasons)})"


def _hidden(label: str) -> bool:
    if label.isascii():
        return not label or not label.isprintable() or label != label.strip()
    if any(not c.isprintable() or (c.isspace() and c != " ") for c in label):
        return True
    confusable = any(ord(c) in _CONFUSABLE for c in label)
    return label != label.strip() or (
        confusable and any(c.isascii() and c.isalpha() for c in label)
    )


def _escaped(label: str) -> str:
    """The label with everything that could be mistaken shown as an escape."""
    return quoted(label) if label.isascii() else ascii(label)
