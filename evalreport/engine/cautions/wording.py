"""How cautions say what they found: numbers, names, and one sentence for all models alike.

What each model of a dataset would be told in the same words is said once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from evalreport.lines import cut
from evalreport.numbers import count_text, p_text, share_text, value_text

#: Names listed before the rest is only counted.
LISTED = 4


def number(value: float) -> str:
    r"""A count, or a value as the pages print it.

    >>> number(0.62512), number(0.9995), number(12), number(-0.25), number(12345)
    ('0.625', '0.9995', '12', '−0.250', '12\u202f345')
    """
    return count_text(value) if float(value).is_integer() else value_text(value)


def part(count: float, total: float) -> str:
    """A count out of a total.

    >>> part(3, 1200)
    '3 of 1200'
    """
    return f"{number(count)} of {number(total)}"


def fraction(count: float, total: float) -> str:
    """A count out of a total with its value.

    >>> fraction(350, 560)
    '350 / 560 = 0.625'
    """
    plain = f"{number(count)} / {number(total)}"
    return f"{plain} = {number(count / total)}" if total else plain


def percent(share: float) -> str:
    r"""A share as a percentage; never 0 % or 100 % unless it is exactly that.

    >>> percent(0.0523), percent(0.99999), percent(1.0)
    ('5.2\u202f%', '99.999\u202f%', '100\u202f%')
    """
    return share_text(share, 1.0)


def p_value(p: float) -> str:
    """A p value with its sign of relation.

    >>> p_value(0.03217), p_value(1e-9), p_value(1.0)
    ('p = 0.032', 'p < 0.0001', 'p = 1')
    """
    text = p_text(p)
    return f"p {text}" if text[0] in "<>" else f"p = {text}"


def rows(count: float) -> str:
    """A number of rows.

    >>> rows(1), rows(3), rows(1200)
    ('1 row', '3 rows', '1200 rows')
    """
    return counted(count, "row")


def counted(count: float, noun: str) -> str:
    """A number of things, in the singular for one.

    >>> counted(2, "pair"), counted(1, "class"), counted(3, "class")
    ('2 pairs', '1 class', '3 classes')
    """
    plural = f"{noun}es" if noun.endswith("s") else f"{noun}s"
    return f"{number(count)} {noun if count == 1 else plural}"


def name(label: str) -> str:
    """A label, column or model as it stands in a sentence; long ones are cut as in tables.

    >>> name("benign"), name("")
    ('benign', '(empty)')
    """
    return cut(label) if label else "(empty)"


def of_class(label: str | None) -> str:
    """The class of a value, ready to follow its metric; empty without one.

    A class that is called by a number is told from the value behind it.

    >>> of_class("benign"), of_class("8"), of_class(None)
    (' of benign', ' of class 8', '')
    """
    if label is None:
        return ""
    word = "class " if label.lstrip("+-−.")[:1].isdigit() else ""
    return f" of {word}{name(label)}"


def listed(names: Iterable[str], most: int = LISTED) -> str:
    """Names in a sentence; beyond ``most`` only their number.

    >>> listed(["a"]), listed(["a", "b", "c"]), listed("abcdef")
    ('a', 'a, b and c', 'a, b, c, d and 2 more')
    """
    every: Sequence[str] = list(names)
    if len(every) > most:
        return f"{', '.join(every[:most])} and {len(every) - most} more"
    if len(every) < 2:
        return "".join(every)
    return f"{', '.join(every[:-1])} and {every[-1]}"
