"""ROC curves again, from the recorded points, in fractions: their areas, and how they lie.

Areas and the like are sums of trapezoids; two curves lie above each other or cross.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import pairwise

from evalreport.record.checks import Finding, Known, Unchecked, checks, held
from evalreport.record.table_counts import number
from evalreport.results.records import Curve, Measure, RocLead, RocPoint, RocRelation
from evalreport.values import dataclass

Point = tuple[Fraction, Fraction]
# Sums of weights, added up in another order, differ in their last digits.
LOOSE = Fraction(1, 10**9)


#: Metrics that the points of a ROC curve settle.
OF_POINTS = ("roc_auc", "gini", "ks", "partial_auc")


def one_class(curve: Curve) -> bool:
    """Whether all rows of a ROC curve are of the class, or none, so that a rate has no value."""
    return None in (*curve.points["fpr"][:1], *curve.points["tpr"][:1])


def curve_value(curve: Curve, measure: Measure) -> Fraction | None:
    """What a measure must be by the points of its ROC curve; None where they do not settle it.

    Raises KeyError, TypeError or ValueError when the curve is malformed.
    """
    if curve.thinned:
        return None
    metric, params = measure.metric, measure.params
    if metric not in OF_POINTS or (measure.state != "value" and one_class(curve)):
        return None
    points = roc_points(curve)
    if metric == "roc_auc":
        return area(points)
    if metric == "gini":
        return 2 * area(points) - 1
    if metric == "ks":
        return max(abs(tpr - fpr) for fpr, tpr in points)
    if metric == "partial_auc" and "max_fpr" in params:
        return _partial(points, number(params["max_fpr"]), bool(params.get("standardized")))
    return None


def area(points: list[Point]) -> Fraction:
    """The area under points joined by straight lines.

    >>> area([(Fraction(0), Fraction(0)), (Fraction(1), Fraction(1))])
    Fraction(1, 2)
    """
    pieces = ((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in pairwise(points))
    return sum(pieces, Fraction(0))


def reached_problems(measure: Measure, curve: Curve | None) -> list[str]:
    """What is wrong with the threshold where a distance of rates is reached, and its table.

    By itself, the table there gives the value. By the whole curve, the threshold is the
    largest at which the rates are that far apart, and its cells are those of the curve.

    Raises KeyError, TypeError or ValueError when the curve is malformed.
    """
    at = measure.reached
    if at is None or measure.state != "value":
        return []
    tp, fp, fn, tn = (number(cell) for cell in (at.tp, at.fp, at.fn, at.tn))
    if min(tp, fp, fn, tn) < 0 or tp + fn <= 0 or fp + tn <= 0:
        return ["the table where it is reached has no actual positives or no negatives"]
    apart = abs(tp / (tp + fn) - fp / (fp + tn))
    if abs(apart - number(measure.value)) > LOOSE:
        return [f"value is {measure.value!r}, the table where it is reached gives {float(apart)!r}"]
    if curve is None or curve.thinned or not apart:
        return []
    return _reached_on(curve, measure, (tp, fp, tp + fn, fp + tn))


def _reached_on(curve: Curve, measure: Measure, stated: tuple[Fraction, ...]) -> list[str]:
    """The first point of the curve that is farthest from the diagonal, and its counts."""
    columns, at = curve.points, measure.reached
    counts = [
        tuple(number(cell) for cell in cells)
        for cells in zip(*(columns[name] for name in ("tp", "fp", "p", "n")), strict=True)
    ]
    apart = [abs(tp / p - fp / n) for tp, fp, p, n in counts]
    # Of sums of weights, which of two equal distances is first is a matter of rounding.
    room = LOOSE if measure.weight is not None else Fraction(0)
    farthest = [place for place, far in enumerate(apart) if far >= max(apart) - room]
    fits = farthest if measure.weight is not None else farthest[:1]
    told = None if at is None else number(at.threshold)
    for place in fits:
        own = columns["threshold"][place]
        same = all(abs(a - b) <= room * b for a, b in zip(stated, counts[place], strict=True))
        if own is not None and number(own) == told and same:
            return []
    tp, fp, p, n = (float(count) for count in counts[fits[0]])
    here = f"{columns['threshold'][fits[0]]!r} with TP {tp:g} of {p:g} and FP {fp:g} of {n:g}"
    return [f"by its curve it is reached at {here}, not as its table there says"]


def roc_points(curve: Curve) -> list[Point]:
    """The points of a ROC curve: false and true positive rate, from nothing to everything.

    Raises KeyError, TypeError or ValueError when the curve is malformed.
    """
    columns = curve.points
    fpr, tpr = columns["fpr"], columns["tpr"]
    points = [(number(x), number(y)) for x, y in zip(fpr, tpr, strict=True)]
    if not points:
        raise ValueError("a curve without points")
    if any(b[0] < a[0] or b[1] < a[1] for a, b in pairwise(points)):
        raise ValueError("a ROC curve that turns back")
    return points


def _partial(points: list[Point], limit: Fraction, standardized: bool) -> Fraction:
    """The area up to a false positive rate; standardised as McClish (1989) does."""
    kept = [point for point in points if point[0] <= limit]
    beyond = [point for point in points if point[0] > limit]
    if kept and beyond and kept[-1][0] < limit:
        (x0, y0), (x1, y1) = kept[-1], beyond[0]
        kept.append((limit, y0 + (y1 - y0) * (limit - x0) / (x1 - x0)))
    part = area(kept)
    if not standardized:
        return part
    least, most = limit * limit / 2, limit
    return (1 + (part - least) / (most - least)) / 2


#: Sums of weights carry rounding; recorded numbers are doubles.
NOTHING = Fraction(1, 10**12)

LEFT_OUT = "points of its curves were left out: where they cross needs the rows"
NO_CURVES = "the results hold no curve of one of its models"


@dataclass(frozen=True)
class _Place:
    """One end of a curve's step at a false positive rate, and the other curve's end there."""

    fpr: Fraction
    first: Fraction
    second: Fraction

    @property
    def sign(self) -> int:
        apart = self.first - self.second
        return 0 if abs(apart) <= NOTHING else 1 if apart > 0 else -1


@checks(
    RocRelation,
    lambda r, _: f"ROC curves of {r.first} and {r.second} on {r.dataset}",
    holds=("crossing_count", "crossings", "first_leads", "second_leads"),
)
def roc_relation(record: RocRelation, known: Known) -> list[Finding] | Unchecked:
    """Relation, crossings and leads, where both curves are there whole."""
    if record.relation is None:
        return [] if record.reason else ["there is no relation, and no reason is given"]
    curves = [known.only_roc(record.dataset, model) for model in (record.first, record.second)]
    if any(curve is None for curve in curves):
        return Unchecked(NO_CURVES)
    whole = [curve for curve in curves if curve is not None and not curve.thinned]
    if len(whole) < 2:
        return Unchecked(LEFT_OUT)
    places = _places(*whole)
    found: list[Finding] = [held("crossing_count", "crossings", "first_leads", "second_leads")]
    found += [*_relation(record, places), *_crossings(record, places), *_leads(record, places)]
    return found


def _relation(record: RocRelation, places: list[_Place]) -> Iterator[str]:
    signs = {place.sign for place in places} - {0}
    expected = "equal"
    if signs:
        expected = "cross" if len(signs) == 2 else "above" if signs == {1} else "below"
    if record.relation != expected:
        yield f"relation is {record.relation}, its curves give {expected}"


def _crossings(record: RocRelation, places: list[_Place]) -> Iterator[str]:
    expected = list(_changes(places))
    if record.crossing_count != len(expected):
        yield f"crossing_count is {record.crossing_count}, its curves cross {len(expected)} times"
    if len(record.crossings) > record.crossing_count:
        yield f"{len(record.crossings)} crossings are written out of {record.crossing_count}"
    pairs = zip(record.crossings, expected, strict=False)
    for place, (own, right) in enumerate(pairs, 1):
        if not _near(own, right):
            told = f"({float(right[0])!r}, {float(right[1])!r})"
            yield f"crossing {place} is ({own.fpr!r}, {own.tpr!r}), its curves give {told}"


def _changes(places: list[_Place]) -> Iterator[Point]:
    """Where the order changes; of places where the curves run together, the first."""
    last: int | None = None
    for here, place in enumerate(places):
        if not place.sign:
            continue
        if last is not None and places[last].sign != place.sign:
            yield _meeting(places, last, here)
        last = here


def _meeting(places: list[_Place], before: int, after: int) -> Point:
    left, right = places[before], places[after]
    if after - before > 1:
        together = places[before + 1]
        return together.fpr, together.first
    if left.fpr == right.fpr:
        # Both rise here; they meet where the later of the two begins.
        return left.fpr, max(left.first, left.second)
    gap, end = abs(left.first - left.second), abs(right.first - right.second)
    share = gap / (gap + end)
    return (
        left.fpr + share * (right.fpr - left.fpr),
        left.first + share * (right.first - left.first),
    )


def _leads(record: RocRelation, places: list[_Place]) -> Iterator[str]:
    for name, lead, turn in (
        ("first_leads", record.first_leads, 1),
        ("second_leads", record.second_leads, -1),
    ):
        apart = [turn * (place.first - place.second) for place in places]
        most = max(*apart, Fraction(0))
        if abs(Fraction(lead.by) - most) > LOOSE:
            yield f"{name}.by is {lead.by!r}, its curves give {float(most)!r}"
        elif most > NOTHING and not _reached(lead, most, places, apart):
            yield f"{name}.fpr is {lead.fpr!r}, where its curves are not so far apart"


def _reached(lead: RocLead, most: Fraction, places: list[_Place], apart: list[Fraction]) -> bool:
    """Whether the largest distance is at the false positive rate that is named."""
    return any(
        abs(place.fpr - Fraction(lead.fpr)) <= LOOSE and abs(distance - most) <= LOOSE
        for place, distance in zip(places, apart, strict=True)
    )


def _near(own: RocPoint, right: Point) -> bool:
    return abs(Fraction(own.fpr) - right[0]) <= LOOSE and abs(Fraction(own.tpr) - right[1]) <= LOOSE


def _places(first: Curve, second: Curve) -> list[_Place]:
    """Both curves at every false positive rate of either: at the foot and at the top of steps."""
    points, others = roc_points(first), roc_points(second)
    snapped = _snapped(fpr for fpr, _ in [*points, *others])
    one, two = _steps(points, snapped), _steps(others, snapped)
    at = sorted(set(snapped.values()))
    found: list[_Place] = []
    for (fpr, low, high), (_, other_low, other_high) in zip(
        _along(one, at), _along(two, at), strict=True
    ):
        found += [_Place(fpr, low, other_low), _Place(fpr, high, other_high)]
    return found


Step = tuple[Fraction, Fraction, Fraction]


def _snapped(rates: Iterable[Fraction]) -> dict[Fraction, Fraction]:
    """For each rate the least of those that differ from one another by rounding alone."""
    found: dict[Fraction, Fraction] = {}
    last, kept = None, Fraction(0)
    for rate in sorted(set(rates)):
        if last is None or rate - last > NOTHING:
            kept = rate
        found[rate], last = kept, rate
    return found


def _steps(points: Iterable[Point], snapped: Mapping[Fraction, Fraction]) -> list[Step]:
    """False positive rate, lowest and highest true positive rate there."""
    found: list[Step] = []
    for rate, tpr in points:
        fpr = snapped[rate]
        if found and fpr == found[-1][0]:
            found[-1] = (fpr, found[-1][1], tpr)
        else:
            found.append((fpr, tpr, tpr))
    return found


def _along(steps: list[Step], at: list[Fraction]) -> Iterator[Step]:
    """The curve at each of the false positive rates, which rise."""
    here = 0
    for fpr in at:
        while here + 1 < len(steps) and steps[here + 1][0] <= fpr:
            here += 1
        left, low, high = steps[here]
        if left == fpr:
            yield fpr, low, high
            continue
        right, top, _ = steps[here + 1]
        between = high + (top - high) * (fpr - left) / (right - left)
        yield fpr, between, between
