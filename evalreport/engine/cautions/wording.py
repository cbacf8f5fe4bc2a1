"""How cautions say what they found: numbers, names, and one sentence for all models alike.

Numbers have three significant digits, counts stand as n/m; what each model of a dataset would
be told in the same words is said once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from evalreport.lines import cut

#: Names listed before the rest is only counted.
LISTED = 4


def number(value: float) -> str:
    r"""Three significant digits; more where rounding would make 0 or 1 of what is neither.

    From five figures on every three are set apart, as counts on a page are.

    >>> number(0.62512), number(0.9995), number(12), number(-0.25), number(1234.5), number(12345)
    ('0.625', '0.9995', '12', '−0.25', '1234', '12\u202f345')
    >>> number(-1.7e308)
    '−1.7e308'
    """
    if float(value).is_integer() and abs(value) < 1e15:
        return _by_threes(int(value))
    if 1000 <= abs(value) < 1e15:
        return _by_threes(round(value))
    text = f"{value:.3g}"
    for digits in range(4, 18):
        if float(text) not in (0.0, 1.0, -1.0):
            break
        text = f"{value:.{digits}g}"
    return text.replace("e+", "e").replace("-", "−")


def _by_threes(whole: int) -> str:
    text = f"{whole:,}" if abs(whole) >= 10_000 else str(whole)
    return text.replace(",", "\u202f").replace("-", "−")


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
    """A share as a percentage; never 0 % or 100 % unless it is exactly that.

    >>> percent(0.0523), percent(0.99999), percent(1.0)
    ('5.23 %', '99.999 %', '100 %')
    """
    text = f"{100 * share:.3g}"
    for digits in range(4, 18):
        if float(text) not in (0.0, 100.0) or share in (0.0, 1.0):
            break
        text = f"{100 * share:.{digits}g}"
    return f"{text} %"


def p_value(p: float) -> str:
    """A p value with its sign of relation.

    >>> p_value(0.03217), p_value(1e-9), p_value(1.0)
    ('p = 0.032', 'p < 0.0001', 'p = 1')
    """
    if p < 0.0001:
        return "p < 0.0001"
    text = f"{p:.2g}"
    return f"p = {number(p) if float(text) == 1.0 else text}"


def limits(low: float, high: float) -> str:
    """Two limits of an interval, each with three significant digits.

    >>> limits(-0.1, 0.25), limits(0, 1.9)
    ('−0.100 to 0.250', '0 to 1.90')
    """
    return f"{estimate(low)} to {estimate(high)}"


def estimate(value: float) -> str:
    """A value that is printed with limits: three significant digits like theirs.

    >>> estimate(0.45), estimate(1.0), estimate(12.0), estimate(0.9995)
    ('0.450', '1', '12', '0.9995')
    """
    text = number(value)
    wanted = f"{value:#.3g}".replace("-", "−")
    return wanted if "." in text and wanted.startswith(text) else text


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
