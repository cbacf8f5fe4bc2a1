"""How ROC curves lie to each other again, from the recorded points, in fractions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from evalreport.record.checks import Finding, Known, Unchecked, checks, held
from evalreport.record.curve_areas import Point, roc_points
from evalreport.results.records import Curve, RocLead, RocPoint, RocRelation

#: Sums of weights carry rounding; recorded numbers are doubles.
NOTHING = Fraction(1, 10**12)
LOOSE = Fraction(1, 10**9)

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
    for number, (own, right) in enumerate(pairs, 1):
        if not _near(own, right):
            told = f"({float(right[0])!r}, {float(right[1])!r})"
            yield f"crossing {number} is ({own.fpr!r}, {own.tpr!r}), its curves give {told}"


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
