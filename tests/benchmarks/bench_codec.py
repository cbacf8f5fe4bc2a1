"""How long records take to be read and written, beside what their JSON alone takes.

Run from the repository: ``PYTHONPATH=tests python -m benchmarks.bench_codec``; ``make bench``
times the same. Fifteen thousand measures are made of the first accepted run.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

from evalreport.results.codec import decode, encode
from evalreport.results.lookup import Results

ACCEPTED = Path(__file__).parents[1] / "golden" / "accepted"
MEASURES = 15_000
ROUNDS = 5


def many_measures() -> dict[str, Any]:
    """The first accepted results, with its measures repeated under names of their own."""
    path = min(ACCEPTED.glob("*/results.json"))
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    for curve in content["curves"]:
        curve["points"] = {name: [0.5] * size for name, size in curve["points"].items()}
    own = content["measures"]
    content["measures"] = [
        {**m, "id": m["id"] if k == 0 else f"{m['id']}.{k}"}
        for k in range(MEASURES // len(own) + 1)
        for m in own
    ]
    return content


def test_reading_the_json(benchmark: Any) -> None:
    text = json.dumps(many_measures())
    assert len(benchmark(json.loads, text)["measures"]) >= MEASURES


def test_reading_the_records(benchmark: Any) -> None:
    content = many_measures()
    assert len(benchmark(decode, content).measures) >= MEASURES


def test_writing_the_records(benchmark: Any) -> None:
    content = many_measures()
    assert len(benchmark(encode, decode(content))["measures"]) == len(content["measures"])


def fastest(work: Callable[[], object]) -> float:
    """The least of some times, in seconds."""
    times = []
    for _ in range(ROUNDS):
        start = perf_counter()
        work()
        times.append(perf_counter() - start)
    return min(times)


def main() -> None:
    """Print the times and how many times that of the JSON they are."""
    content = many_measures()
    text = json.dumps(content)
    results = decode(content)
    assert isinstance(results, Results)
    parsing = fastest(lambda: json.loads(text))
    print(f"{len(content['measures'])} measures; parsing their JSON: {1000 * parsing:.0f} ms")
    for name, work in (
        ("records from it", lambda: decode(content)),
        ("records back", lambda: encode(results)),
    ):
        took = fastest(work)
        print(f"{name}: {1000 * took:.0f} ms, {took / parsing:.1f} times the parsing")


if __name__ == "__main__":
    main()
