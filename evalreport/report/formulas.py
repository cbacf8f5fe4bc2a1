"""A formula cut into what stands above a line, what stands below it, and the rest.

Works on the text in results.json (``TP / (TP + FP)`` and ``87 / (87 + 10)`` alike),
so formula and numbers carry the same marks.
"""

from __future__ import annotations

import re

from evalreport.numbers import grouped_figures, shortened, signed
from evalreport.report.pieces import FormulaPiece

#: Formulas are cut here, sums of many terms already at LONG.
LONGEST = 400
LONG = 72
#: Terms of a long sum that are shown.
SHOWN = 3
#: Terms of a sum that are printed in full.
MOST_TERMS = 10


def formula_parts(text: str) -> tuple[FormulaPiece, ...]:
    """The parts of a formula, marked.

    >>> [(p.text, p.mark) for p in formula_parts("TP / (TP + FP)")]
    [('TP', 'top'), (' / ', ''), ('(TP + FP)', 'bottom')]
    >>> [(p.text, p.mark) for p in formula_parts("(a / b + c / d) / 2")]
    [('(', ''), ('a', 'top'), (' / ', ''), ('b', 'bottom'), (' + ', ''), ('c', 'top'),
     (' / ', ''), ('d', 'bottom'), (') / 2', '')]
    """
    if not text:
        return ()
    text = _abridged(shortened(text))
    if len(text) > LONGEST:
        return (FormulaPiece(typeset(text[:LONGEST]) + " …"),)
    pieces = _pieces(text)
    merged: list[FormulaPiece] = []
    for piece in pieces:
        if merged and not piece.mark and not merged[-1].mark:
            merged[-1] = FormulaPiece(merged[-1].text + piece.text)
        else:
            merged.append(piece)
    return tuple(FormulaPiece(typeset(p.text), p.mark) for p in merged)


def _abridged(text: str) -> str:
    """A sum of very many terms with its first ones only; what it is divided by stays.

    >>> _abridged("(" + " + ".join(["1234567890 / 1234567890"] * 12) + ") / 12")
    '(1234567890 / 1234567890 + 1234567890 / 1234567890 + 1234567890 / 1234567890 + … 9 more) / 12'
    """
    if len(text) <= LONG or not text.startswith("("):
        return text
    end = _closing(text, 0)
    terms = _split(text[1:end], (" + ",))
    more = (len(terms) + 1) // 2 - SHOWN
    if more + SHOWN <= MOST_TERMS:
        return text
    return f"({''.join(terms[: 2 * SHOWN - 1])} + … {more} more){text[end + 1 :]}"


def _pieces(text: str) -> list[FormulaPiece]:
    terms = _split(text, (" + ", " - "))
    if len(terms) > 1 and "/" in text:
        return [
            p
            for term in terms
            for p in (_pieces(term) if term.strip() not in "+-" else [FormulaPiece(term)])
        ]
    factors = _split(text, (" / ", " * "))
    if " / " in factors:
        at = len(factors) - 1 - factors[::-1].index(" / ")
        top, bottom = "".join(factors[:at]), "".join(factors[at + 1 :])
        if " / " in top or " / " in bottom:
            return [*_inside(top), FormulaPiece(" / "), *_inside(bottom)]
        return [FormulaPiece(top, "top"), FormulaPiece(" / "), FormulaPiece(bottom, "bottom")]
    if len(factors) > 1 and "/" in text:
        return [p for f in factors for p in (_inside(f) if f != " * " else [FormulaPiece(f)])]
    return _inside(text) if " / " in text else [FormulaPiece(text)]


def _inside(text: str) -> list[FormulaPiece]:
    """The pieces of an operand, its own brackets or root set aside."""
    if " / " not in text:
        return [FormulaPiece(text)]
    for head in ("sqrt(", "("):
        if text.startswith(head) and _closing(text, len(head) - 1) == len(text) - 1:
            return [FormulaPiece(head), *_pieces(text[len(head) : -1]), FormulaPiece(")")]
    return (
        _pieces(text)
        if len(_split(text, (" + ", " - ", " / ", " * "))) > 1
        else [FormulaPiece(text)]
    )


def _split(text: str, operators: tuple[str, ...]) -> list[str]:
    """Operands and operators in turn, brackets left whole."""
    found, start, depth, i = [], 0, 0, 0
    while i < len(text):
        depth += (text[i] == "(") - (text[i] == ")")
        operator = next((o for o in operators if depth == 0 and text.startswith(o, i)), None)
        if operator is not None:
            found += [text[start:i], operator]
            i += len(operator)
            start = i
        else:
            i += 1
    return [*found, text[start:]]


def _closing(text: str, opening: int) -> int:
    depth = 0
    for i in range(opening, len(text)):
        depth += (text[i] == "(") - (text[i] == ")")
        if depth == 0:
            return i
    return -1


def typeset(text: str) -> str:
    """ASCII arithmetic as print sets it.

    >>> typeset("sqrt(TP * TN) - 0.5 * tied"), typeset("sum((p - y)^2)")
    ('√(TP·TN) − ½·tied', 'Σ((p − y)²)')
    """
    text = text.replace(" * ", "·").replace(" - ", " − ").replace("^2", "²")
    text = re.sub(r"\bsqrt\(", "√(", text)
    text = re.sub(r"\bsum\(", "Σ(", text)
    text = re.sub(r"(?<![\d.])0\.5·", "½·", text)
    text = (
        text.replace(">=", "≥").replace("<=", "≤").replace("(-p", "(−p").replace("(-log", "(−log")
    )
    return signed(grouped_figures(text))
