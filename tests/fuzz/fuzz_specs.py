"""Right specs of every kind at random: each is run, drawn, and verified.

    python tests/fuzz/fuzz_specs.py ROUNDS [SEED]

A round draws a dataset and a spec that asks for what the language offers, in combinations that
nobody thought of: few rows, one class, empty cells, weights, clusters, periods, subgroups, rules,
comparisons. What may never happen: a bug (70), a section that fails, results that ``verify``
finds fault with, or that ``verify --rerun`` makes otherwise. What broke is kept in
specs-<seed>-<round>/ in the current folder; each fixed one becomes a test.
"""

from __future__ import annotations

import csv
import io
import random
import shutil
import sys
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from evalreport.cli import status_of
from evalreport.metrics.catalogue import catalogue

#: Metrics that need a parameter or a part of the spec that is not always there.
ASKING = ("hierarchical_loss", "partial_auc", "expected_cost")
COLUMNS = ("y", "s", "t", "p", "q", "m", "w", "n", "cl", "sex", "site", "age", "day", "id")
RULES = (
    0.5, 0.3, 0.7, {"maximize": "youden_j"}, {"at_least": {"recall": 0.9}}, {"top": 5},
    {"at_least": {"precision": 0.95}, "maximize": "recall"}, {"top": 0.1},
    {"minimize": "distance_to_corner"}, {"maximize": "f1", "on": "d"},
)  # fmt: skip
GROUPS = ("sex", "site", {"column": "age", "bins": [40, 60]}, ["sex", "site"])


class _Plain(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True


def rows_of(draw: random.Random, classes: list[str], empty: float) -> list[list[Any]]:
    """Rows of a dataset; a few cells are empty with a chance of ``empty``."""
    many, rows = draw.choice((3, 12, 40, 120)), []
    for number in range(many):
        actual = draw.choices(classes, (3, 1, 1)[: len(classes)])[0]
        place = classes.index(actual)
        score = min(max(draw.gauss(0.3 + 0.3 * place, 0.2), 0), 1)
        score = draw.choice((0, 1, 0.5)) if draw.random() < 0.05 else score
        other = min(max(score + draw.gauss(0, 0.1), 0), 1)
        row: list[Any] = [
            actual,
            round(score, draw.choice((1, 2, 6))),
            round(other, 2),
            draw.choice(classes) if draw.random() < 0.3 else actual,
            draw.choice((*classes, "maybe")) if draw.random() < 0.2 else actual,
            round(draw.gauss(place - 0.5, 1), 3),
            round(draw.random() * 3, 2),
            draw.randint(0, 4),
            f"k{draw.randint(0, many // 4)}",
            draw.choice(("f", "m")),
            draw.choice(("A", "B", "C", "")),
            draw.randint(18, 90),
            f"2026-{draw.randint(1, 4):02d}-{draw.randint(1, 28):02d}",
            number,
        ]
        shares = [draw.random() + 2 * (one == actual) for one in classes]
        shares = [round(share / sum(shares), 9) for share in shares]
        row += [*shares[:-1], 1 - sum(shares[:-1])]
        if draw.random() < empty:
            row[draw.randrange(5)] = ""
        rows.append(row)
    return rows


def written(path: Path, classes: list[str], rows: list[list[Any]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([[*COLUMNS, *(f"c_{one}" for one in classes)], *rows])


def random_dataset(draw: random.Random, classes: list[str]) -> dict[str, Any]:
    one: dict[str, Any] = {"path": "d.csv", "target": "y", "missing": "exclude"}
    drawn = draw.random()
    one |= {"weight": "w"} if drawn < 0.25 else {"count": "n"} if drawn < 0.4 else {}
    one |= {"id": "id"} if drawn > 0.85 else {}
    one |= {"cluster": "cl"} if draw.random() < 0.25 else {}
    one |= {"period": {"column": "day", "every": "month"}} if draw.random() < 0.2 else {}
    one |= {"labels": classes} if draw.random() < 0.3 else {}
    one |= {"sampling": "case_control"} if draw.random() < 0.1 else {}
    one |= {"benchmark": "non_reference"} if draw.random() < 0.1 else {}
    one |= {"unknown": ["tn"]} if draw.random() < 0.1 and len(classes) == 2 else {}
    return one


def random_models(draw: random.Random, classes: list[str]) -> dict[str, Any]:
    scored: list[dict[str, Any]] = [{"scores": {one: f"c_{one}" for one in classes}}] * 2
    if len(classes) == 2:
        scored = [{"score": "s"}, {"score": "t"}, {"score": "s"}, {"margin": "m"}]
    kinds = [{"prediction": "p"}, {"prediction": "p"}, {"prediction": "q"}, *scored]
    return {name: draw.choice(kinds) for name in ("one", "two", "three")[: draw.randint(1, 3)]}


def random_spec(draw: random.Random, folder: Path) -> dict[str, Any]:
    """A spec as plain data, with its files beside it."""
    two = draw.random() < 0.65
    classes = ["no", "yes"] if two else ["a", "b", "c"]
    empty = draw.choice((0, 0, 0.05))
    for name in ("d.csv", "e.csv"):
        written(folder / name, classes, rows_of(draw, classes, empty))
    dataset, models = random_dataset(draw, classes), random_models(draw, classes)
    if {"prediction": "q"} in models.values():
        dataset["indeterminate"] = ["maybe"]
    plain = [
        metric.name
        for metric in catalogue()
        if metric.name not in ASKING and not any(own.required for own in metric.parameters)
    ]
    spec: dict[str, Any] = {
        "evalreport": 1, "title": "Drawn", "datasets": {"d": dataset}, "models": models,
        "metrics": draw.sample(plain, draw.randint(1, 9)),
        "confidence": {"resamples": draw.choice((50, 200)), "seed": 1},
    }  # fmt: skip
    if draw.random() < 0.25:
        spec["datasets"]["e"] = {**dataset, "path": "e.csv"}
    if draw.random() < 0.4:
        modes = ["none", "macro", "micro", "weighted"]
        spec["averaging"] = draw.sample(modes, draw.randint(1, 3))
    if draw.random() < 0.4:
        spec["subgroups"] = draw.sample(GROUPS, draw.randint(1, 2))
    if two and draw.random() < 0.5:
        spec["thresholds"] = draw.sample(RULES, draw.randint(1, 3))
    spec |= _more(draw, two)
    spec |= _compared(draw, spec, two)
    template = draw.choice(("standard", "audit", "clinical", "model_card", "minimal"))
    spec["report"] = {"template": template, "formats": ["html"]}
    return spec


def _more(draw: random.Random, two: bool) -> dict[str, Any]:
    """Parts that stand by themselves."""
    found: dict[str, Any] = {}
    found |= {"subgroup_minimum": draw.choice((5, 20))} if draw.random() < 0.2 else {}
    found |= {"largest_gap": True} if draw.random() < 0.2 else {}
    found |= {"one_versus_rest": True} if draw.random() < 0.3 and not two else {}
    if two and draw.random() < 0.2:
        found["costs"] = {"false_negative": 5, "false_positive": 1}
    found |= {"prevalence": [0.05, 0.2]} if draw.random() < 0.2 and two else {}
    if draw.random() < 0.4:
        metric = draw.choice(("recall", "f1", "accuracy"))
        average = {} if two else {"average": "macro"}
        bound = {"bound": "lower"} if draw.random() < 0.5 else {}
        found["acceptance"] = [{"metric": metric, "at_least": 0.5, **average, **bound}]
    return found


def _compared(draw: random.Random, spec: dict[str, Any], two: bool) -> dict[str, Any]:
    """Comparisons and drift, where there is something to compare."""
    found: dict[str, Any] = {}
    if len(spec["models"]) > 1 and draw.random() < 0.5:
        asked: dict[str, Any] = {"reference": "one"}
        for key, value in (
            ("correction", "holm"), ("subgroups", True), ("thresholds", True), ("omnibus", True),
            ("ratios", ["recall"]), ("margins", {"recall": 0.1}),
        ):  # fmt: skip
            asked |= {key: value} if draw.random() < 0.3 else {}
        asked |= {"net_reclassification": True} if draw.random() < 0.2 and two else {}
        found["comparisons"] = asked
    elif "e" in spec["datasets"] and draw.random() < 0.5:
        found["comparisons"] = {"reference": {"dataset": "d"}}
    if "e" in spec["datasets"] and draw.random() < 0.3:
        found["drift"] = {"reference": {"dataset": "e"}}
    return found


@dataclass(frozen=True)
class Done:
    status: int
    printed: str


def command(*arguments: str) -> Done:
    """The command in this process, and all that it prints."""
    told = io.StringIO()
    with redirect_stdout(told), redirect_stderr(told):
        status = status_of(list(arguments))
    return Done(status, told.getvalue())


def faults(draw: random.Random, folder: Path) -> tuple[str, list[str]]:
    """What a drawn spec came to, and what is wrong with that."""
    spec, runs = folder / "s.yaml", folder / "runs"
    text = yaml.dump(random_spec(draw, folder), Dumper=_Plain, sort_keys=False)
    spec.write_text(text, encoding="utf-8")
    engine = draw.choice(("memory", "duckdb", "auto"))
    done = command("run", str(spec), "-o", str(runs), "--engine", engine)
    if done.status in (2, 3):
        return "refused", []
    found = [line for line in done.printed.splitlines() if line.startswith("FAILED")]
    if done.status not in (0, 1):
        return "failed", [f"status {done.status}: {done.printed}"]
    again = ("--rerun", "--spec", str(spec)) if draw.random() < 0.4 else ()
    held = command("verify", str(runs / "latest"), *again)
    return "run", found + ([] if held.status == 0 else [held.printed])


def main(rounds: int, seed: int) -> int:
    """Draw so many specs; 1 if anything broke, or hardly any spec was one that runs."""
    broken, ran = 0, 0
    for number in range(rounds):
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            outcome, found = faults(random.Random(f"{seed}-{number}"), folder)
            ran += outcome == "run"
            if found:
                broken += 1
                kept = Path(f"specs-{seed}-{number}")
                shutil.copytree(folder, kept, symlinks=True, dirs_exist_ok=True)
                print(f"{kept}:", *found, sep="\n  ")
    print(f"{rounds} specs, {ran} of them ran, {broken} broke")
    return 1 if broken or 2 * ran < rounds else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1))
