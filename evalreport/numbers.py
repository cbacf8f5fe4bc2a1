"""How numbers are worded; no other module rounds.

Three decimals; below 0.1 and above 1 three significant digits; 0 and 1 only
when exact, else as many digits as it takes. True minus signs.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import Any

MINUS = "\N{MINUS SIGN}"
INFINITY = "\N{INFINITY}"
THIN = "\N{NARROW NO-BREAK SPACE}"
MOST_DECIMALS = 17
#: Numbers from here on are written with an exponent: their last digits say nothing.
LARGE = 1e16
#: A distance from 1 that sums of floats leave.
ROUNDING = 1e-9
#: Room for every digit of a double and the decimals it is rounded to.
_WIDE = Context(prec=400)


def value_text(value: float) -> str:
    """A metric's value.

    >>> value_text(0.8428571), value_text(0.0678), value_text(14.0476), value_text(57540.0)
    ('0.843', '0.0678', '14.0', '57540')
    >>> value_text(0.9995), value_text(1.0), value_text(0.0), value_text(-0.0004)
    ('0.9995', '1', '0', '−0.000400')
    >>> value_text(1e300), value_text(-2.5e16)
    ('1.00e300', '−2.50e16')
    >>> value_text(0.9999999999999052)
    '1.000'
    """
    if value in {0, 1, -1}:
        return signed(str(int(value)))
    if abs(abs(value) - 1) < ROUNDING:
        return signed(f"{value:.3f}")
    if abs(value) < 1e-6:
        return signed(f"{value:.2e}".replace("e-0", "e-"))
    if abs(value) >= LARGE:
        return large_text(value)
    places = value_decimals(value)
    return _longer_until(value, places, lambda text: float(text) not in {0.0, 1.0, -1.0})


def or_dash(value: Any, text: Callable[[Any], str] = value_text) -> str:
    """A number as ``text`` words it; a dash where there is none.

    >>> or_dash(0.25), or_dash(None), or_dash(12, count_text)
    ('0.250', '–', '12')
    """
    return "–" if value is None else text(value)


def alike_text(value: float, column: Iterable[float]) -> str:
    """A value with the decimals that the smallest of its column has, up to two more than its own.

    >>> [alike_text(v, (0.669, 0.481, 1.345)) for v in (0.669, 0.481, 1.345)]
    ['0.669', '0.481', '1.345']
    >>> alike_text(57540.0, (0.5, 57540.0))
    '57540'
    """
    text = value_text(value)
    own = value_decimals(value)
    most = max((value_decimals(other) for other in column), default=own)
    return _with_more(value, most - own) if 0 < most - own <= 2 else text


def large_text(value: float) -> str:
    """A number too large for its digits to be read: three of them, and its power of ten."""
    return signed(f"{value:.2e}".replace("e+", "e"))


def mean_count_text(value: float) -> str:
    """A mean of counts, in whole ones.

    >>> mean_count_text(512.1), mean_count_text(512.0)
    ('about 512', '512')
    """
    return f"{'' if float(value).is_integer() else 'about '}{count_text(round(value))}"


def value_decimals(value: float) -> int:
    """The decimals :func:`value_text` begins with.

    >>> [value_decimals(v) for v in (0.5, 0.0678, 0.00678, 1.5, 14.0, 140.0)]
    [3, 4, 5, 2, 1, 0]
    """
    size = abs(value)
    if size == 0 or 0.1 <= size <= 1:
        return 3
    return max(0, 2 - math.floor(math.log10(size)))


def difference_text(value: float) -> str:
    """A difference, always signed; 0 and 1 only when exact.

    >>> difference_text(0.01428), difference_text(-0.0018), difference_text(0.0)
    ('+0.0143', '−0.0018', '0')
    >>> difference_text(1.0), difference_text(-1.0), difference_text(-0.99996)
    ('+1', '−1', '−0.99996')
    """
    if value in {0, 1, -1}:
        return signed(f"{int(value):+d}") if value else "0"
    if abs(value) >= LARGE:
        return large_text(value) if value < 0 else f"+{large_text(value)}"
    places = 3 if abs(value) >= 0.1 else 4
    text = _longer_until(value, places, lambda text: float(text) not in {0.0, 1.0, -1.0})
    return text if value < 0 else f"+{text}"


def limits_text(low: float, high: float, value: float | None = None) -> str:
    """The limits of an interval, with digits enough to tell them from each other and the value.

    >>> limits_text(0.788, 0.886), limits_text(0.99972, 0.99996, 0.9999)
    ('0.788 to 0.886', '0.9997 to 0.99996')
    >>> limits_text(0.84171, 0.84199, 0.84182), limits_text(0.5, 0.5, 0.5)
    ('0.8417 to 0.8420', '0.500 to 0.500')
    >>> limits_text(0.93, math.inf)
    '0.930 to ∞'
    """
    if math.isinf(high):
        return f"{value_text(low)} to {INFINITY}"
    exact = [low, high, *([] if value is None else [value])]
    for more in range(MOST_DECIMALS):
        texts = [_with_more(x, more) for x in exact]
        pairs = ((texts[i], exact[i], texts[j], exact[j]) for i, j in ((0, 1), (0, -1), (1, -1)))
        if all(a != b or x == y for a, x, b, y in pairs):
            return f"{texts[0]} to {texts[1]}"
    return f"{value_text(low)} to {value_text(high)}"


def _with_more(value: float, more: int) -> str:
    """A value with so many decimals more than :func:`value_text` gives it."""
    plain = value_text(value)
    if not more or "e" in plain or value in {0, 1, -1}:
        return plain
    places = len(plain.partition(".")[2])
    return _longer_until(value, min(places + more, MOST_DECIMALS), lambda _: True)


def observed_text(observed: float, required: float) -> str:
    """A number held against a requirement, with digits enough to lie on its side of it.

    >>> observed_text(0.79996, 0.8), observed_text(0.788, 0.8), observed_text(0.8, 0.8)
    ('0.79996', '0.788', '0.800')
    >>> observed_text(0.8004, 0.8002), observed_text(0.9876, 0.98765)
    ('0.8004', '0.9876')
    """
    text, limit = value_text(observed), Decimal(repr(float(required)))
    if observed == required or "e" in text:
        return text
    places = len(text.partition(".")[2])

    def on_its_side(text: str) -> bool:
        return Decimal(text) != limit and (Decimal(text) > limit) == (observed > required)

    return _longer_until(observed, places, on_its_side)


def required_text(required: float) -> str:
    """A requirement as it was declared: at least two decimals, and never fewer digits.

    >>> required_text(0.9), required_text(0.98765), required_text(-0.05), required_text(12.0)
    ('0.90', '0.98765', '−0.05', '12.0')
    """
    if abs(required) < 1 and len(repr(abs(required))) <= 4:
        return threshold_text(required)
    plain = value_text(required)
    whole = float(plain.replace("−", "-").replace(THIN, "")) == required
    return plain if whole else signed(repr(required))


def p_text(p: float) -> str:
    """A p value: two significant digits, never 0 and 1 only when exact.

    >>> p_text(0.029), p_text(0.0090), p_text(0.00001), p_text(1.0), p_text(0.999), p_text(0.634)
    ('0.029', '0.0090', '< 0.0001', '1', '0.999', '0.63')
    >>> p_text(0.0), p_text(0.99999999998)
    ('< 0.0001', '> 0.9999')
    """
    if p < 0.0001:
        return "< 0.0001"
    if 0.9999 < p < 1:
        return "> 0.9999"
    if p == 1:
        return "1"
    places = max(2, 1 - math.floor(math.log10(p)))
    return _longer_until(p, places, lambda text: float(text) < 1)


def share_text(part: float, whole: float) -> str:
    r"""A share of rows as a percentage; 0 and 100 only when exact.

    >>> share_text(210, 560), share_text(1, 100000), share_text(0, 5), share_text(5, 5)
    ('37.5\u202f%', '0.001\u202f%', '0\u202f%', '100\u202f%')
    """
    if whole == 0:
        return "0 / 0"
    if part in {0, whole}:
        return f"{'0' if part == 0 else '100'}{THIN}%"
    share = 100 * part / whole
    return _longer_until(share, 1, lambda text: float(text) not in {0.0, 100.0}) + f"{THIN}%"


def level_text(level: float) -> str:
    r"""A confidence level.

    >>> level_text(0.95), level_text(0.999)
    ('95\u202f%', '99.9\u202f%')
    """
    return f"{Decimal(repr(level)) * 100:f}".rstrip("0").rstrip(".") + f"{THIN}%"


def count_text(count: Any) -> str:
    r"""A count of rows, or a sum of weights to three decimals at most; "?" where nobody counted.

    From five figures on, every three are set apart.

    >>> count_text(1797), count_text(12.0), count_text(3.25), count_text(2 / 3), count_text(None)
    ('1797', '12', '3.25', '0.667', '?')
    >>> count_text(4989659)
    '4\u202f989\u202f659'
    """
    if count is None:
        return "?"
    if isinstance(count, int):
        return grouped_figures(signed(str(count)))
    if float(count).is_integer() and abs(count) < 1e15:
        return grouped_figures(signed(str(int(count))))
    if abs(count) >= LARGE:
        return signed(repr(float(count)).replace("e+", "e"))
    text = _longer_until(float(count), 3, lambda text: float(text) != 0)
    return grouped_figures(text.rstrip("0").rstrip("."))


def grouped_figures(text: str) -> str:
    r"""Text whose whole numbers of five figures or more are set apart by threes.

    Decimals stay as they are, so that they can be copied.

    >>> grouped_figures("12345 / 1797"), grouped_figures("0.123456")
    ('12\u202f345 / 1797', '0.123456')
    """
    return re.sub(r"(?<![\d.])\d{5,}", lambda m: f"{int(m[0]):,}".replace(",", THIN), text)


def threshold_text(threshold: float) -> str:
    """A threshold: as declared, or four significant digits of one found by a rule; 1 when exact.

    >>> threshold_text(0.5), threshold_text(0.341579), threshold_text(0), threshold_text(-1.25)
    ('0.50', '0.3416', '0', '−1.25')
    >>> threshold_text(1.0), threshold_text(0.99998)
    ('1', '0.99998')
    """
    plain = repr(float(threshold))
    if threshold == 0:
        return "0"
    if len(plain.lstrip("-")) <= 4 and "e" not in plain:
        return signed(plain + "0" if re.fullmatch(r"-?0\.\d", plain) else plain.removesuffix(".0"))
    texts = (f"{threshold:.{digits}g}" for digits in range(4, MOST_DECIMALS + 1))
    text = next((one for one in texts if abs(float(one)) != 1), plain)
    return signed(text.replace("e+", "e"))


def measured_places(spread: float | None) -> int:
    """Decimals for what was measured: three significant digits of its spread.

    >>> measured_places(3.52), measured_places(0.0141), measured_places(352.0), measured_places(0)
    (2, 4, 0, 0)
    """
    return 0 if not spread else min(MOST_DECIMALS, max(0, 2 - math.floor(math.log10(abs(spread)))))


def measured_text(value: float, places: int) -> str:
    """A mean, quartile or limit of what was measured, with this number of decimals.

    >>> measured_text(14.1273, 2), measured_text(-3.0, 1), measured_text(0.0, 2)
    ('14.13', '−3.0', '0.00')
    """
    if abs(value) >= LARGE:
        return large_text(value)
    return signed(f"{Decimal(repr(float(value))):.{places}f}")


def df_text(df: float) -> str:
    """Degrees of freedom: whole from ten on, to a tenth below.

    >>> df_text(1998.0), df_text(21.43), df_text(6.37)
    ('1998', '21', '6.4')
    """
    return count_text(int(df)) if df >= 10 else f"{df:.1f}"


def number_text(number: Any) -> str:
    """A parameter or requirement as it was written.

    >>> number_text(2.0), number_text(0.9), number_text("linear"), number_text(True)
    ('2', '0.9', 'linear', 'true')
    """
    if isinstance(number, bool):
        return str(number).lower()
    if isinstance(number, float):
        whole = number.is_integer() and abs(number) < LARGE
        return signed(str(int(number)) if whole else repr(number).replace("e+", "e"))
    return str(number)


def exact_text(value: float) -> str:
    """Full precision, as ``data-value`` carries it.

    >>> exact_text(0.8969072164948454), exact_text(1.0)
    ('0.8969072164948454', '1.0')
    """
    return repr(float(value))


def six_decimals(value: float) -> str:
    """A value to check a calculation against; whole numbers stay whole.

    >>> six_decimals(0.8428571428), six_decimals(12.0), six_decimals(0.9999999999)
    ('0.842857', '12', '0.9999999999')
    """
    if float(value).is_integer() and abs(value) < 1e15:
        return signed(str(int(value)))
    if abs(value) < 1e-4 or abs(value) >= LARGE:
        return signed(f"{value:.6g}".replace("e+", "e"))
    return _longer_until(value, 6, lambda text: float(text) not in {0.0, 1.0, -1.0})


def shortest(value: float) -> str:
    """A number within a calculation: at most six decimals, none of them a last 0.

    >>> shortest(0.9622093023255814), shortest(150.700220467991), shortest(12.0)
    ('0.962209', '150.70022', '12')
    """
    text = six_decimals(value)
    return text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text


def shortened(text: str) -> str:
    """Arithmetic with every long decimal cut to six places.

    >>> shortened("(0.9622093023255814 + 0.5) / 2")
    '(0.962209 + 0.5) / 2'
    """
    return re.sub(r"\d+\.\d{7,}(?!\d*e)", lambda m: shortest(float(m.group())), text)


def signed(text: str) -> str:
    """Hyphens before a number become true minus signs."""
    return (
        re.sub(r"-(?=\d)", MINUS, text)
        if "e" not in text
        else text.replace("-", MINUS, 1)
        if (text.startswith("-"))
        else text
    )


def _longer_until(value: float, places: int, good: Callable[[str], bool]) -> str:
    """The rounded value with as few decimals from ``places`` on as satisfy ``good``."""
    exact = Decimal(repr(float(value)))
    text = ""
    for decimals in range(places, MOST_DECIMALS + 1):
        text = f"{exact.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_EVEN, _WIDE):f}"
        if good(text):
            break
    return signed(text)
