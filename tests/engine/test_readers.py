"""Several readers of the same cases, from the file to the page, by an analysis in plain loops."""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from statistics import fmean, variance
from typing import Any

import jsonschema
import numpy as np
import pytest
import yaml
from scipy import stats

from evalreport.cli import status_of
from evalreport.results.codec import decode, encode, results_schema
from evalreport.results.records import ReaderAgreement, ReaderDifference, ReaderMean
from evalreport.verify.recompute import recompute

Row = dict[str, Any]


def study(readers: int = 4, cases: int = 60, left_out: float = 0.0, seed: int = 5) -> list[Row]:
    """Ratings of 1 to 5 of the same cases in two ways, a row for each reader and case."""
    draw = np.random.default_rng(seed)
    ill = draw.random(cases) < 0.4
    hard = draw.normal(size=cases)
    skill = draw.normal(0.0, 0.25, readers)
    rows = []
    for case in range(cases):
        for reader in range(readers):
            if draw.random() < left_out:
                continue
            rated = {
                way: int(np.clip(round(3 + gain * ill[case] + skill[reader] + own), 1, 5))
                for way, gain in (("old", 0.9), ("new", 1.4))
                for own in [0.7 * hard[case] + 0.7 * draw.normal()]
            }
            rows.append(
                {
                    "case": f"c{case:03}",
                    "who": f"r{reader + 1}",
                    "truth": "ill" if ill[case] else "well",
                    **rated,
                }
            )
    return rows


def spec(**dataset: Any) -> Row:
    return {
        "evalreport": 1,
        "datasets": {
            "study": {
                "path": "rows.csv",
                "target": "truth",
                "id": "case",
                "readers": "who",
                **dataset,
            }
        },
        "positive": {"label": "ill"},
        "models": {"old": {"margin": "old"}, "new": {"margin": "new"}},
        "metrics": ["recall", "specificity", "roc_auc"],
        "thresholds": [4],
        "comparisons": {"reference": "old", "margins": {"roc_auc": 0.05}},
        "report": {"formats": ["json"]},
    }


def write(folder: Path, rows: list[Row]) -> None:
    header = list(rows[0])
    lines = [",".join(header), *(",".join(str(row[name]) for name in header) for row in rows)]
    (folder / "rows.csv").write_text("\n".join(lines) + "\n")


def run(folder: Path, rows: list[Row], asked: Row, status: int = 0) -> Any:
    write(folder, rows)
    path = folder / "spec.yaml"
    dataset = {key: one for key, one in asked["datasets"]["study"].items() if one is not None}
    asked = {**asked, "datasets": {"study": dataset}}
    path.write_text(yaml.safe_dump(asked, sort_keys=False))
    runs = folder / "runs"
    assert status_of(["run", str(path), "-o", str(runs), "--quiet"]) == status
    if status:
        return None
    assert status_of(["verify", str(runs / "latest")]) == 0
    return json.loads((runs / "latest" / "results.json").read_text())


# -- the analysis in plain loops ---------------------------------------------------------------


def placements(rows: list[Row], way: str, metric: str) -> dict[str, dict[str, dict[str, float]]]:
    """By class and reader, of each case, what its readings add up the value from."""
    found: dict[str, dict[str, dict[str, float]]] = {"ill": {}, "well": {}}
    for who in sorted({row["who"] for row in rows}):
        own = [row for row in rows if row["who"] == who]
        if metric == "roc_auc":
            for this, other, sign in (("ill", "well", 1), ("well", "ill", -1)):
                against = [row[way] for row in own if row["truth"] == other]
                found[this][who] = {
                    row["case"]: fmean(
                        (sign * (row[way] - one) > 0) + 0.5 * (row[way] == one) for one in against
                    )
                    for row in own
                    if row["truth"] == this
                }
        else:
            this = "ill" if metric == "recall" else "well"
            found[this][who] = {
                row["case"]: float((row[way] >= 4) == (this == "ill"))
                for row in own
                if row["truth"] == this
            }
    return found


def covariance(first: dict[str, float], second: dict[str, float]) -> float:
    shared = sorted(set(first) & set(second))
    if len(shared) < 2:
        return 0.0
    a, b = fmean(first.values()), fmean(second.values())
    total = sum((first[case] - a) * (second[case] - b) for case in shared)
    k = len(shared)
    return total * k / (k - 1) / (len(first) * len(second))


def by_hand(rows: list[Row], metric: str) -> dict[str, float]:
    """Difference of new and old over random readers and cases (Hillis 2007), ways 0 and 1."""
    placed = [placements(rows, way, metric) for way in ("new", "old")]
    side = "well" if metric == "specificity" else "ill"
    who = list(placed[0][side])
    values = [[fmean(one[side][name].values()) for name in who] for one in placed]
    kinds: dict[tuple[bool, bool], list[float]] = {}
    for i in range(2):
        for k in range(2):
            for j in who:
                for m in who:
                    total = sum(
                        covariance(placed[i][c][j], placed[k][c][m])
                        for c in ("ill", "well")
                        if j in placed[i][c]
                    )
                    kinds.setdefault((i == k, j == m), []).append(total)
    cov2, cov3 = fmean(kinds[True, False]), fmean(kinds[False, False])
    apart = [a - b for a, b in zip(*values, strict=True)]
    j = len(who)
    between = variance(apart) / 2
    total = between + max(j * (cov2 - cov3), 0.0)
    error, df = (2 * total / j) ** 0.5, total**2 * (j - 1) / between**2
    return {
        "difference": fmean(apart),
        "standard_error": error,
        "df": df,
        "p_value": float(2 * stats.t.sf(abs(fmean(apart)) / error, df)),
        "variance": fmean(kinds[True, True]),
        "same_reader": fmean(kinds[False, True]),
        "same_modality": cov2,
        "neither": cov3,
        "low": fmean(apart) - float(stats.t.ppf(0.975, df)) * error,
        "mean_new": fmean(values[0]),
    }


@pytest.mark.parametrize("left_out", [0.0, 0.25], ids=["crossed", "not crossed"])
def test_differences_are_those_of_the_analysis_in_loops(tmp_path: Path, left_out: float) -> None:
    rows = study(left_out=left_out)
    found = run(tmp_path, rows, spec())
    assert [one["metric"] for one in found["reader_differences"]] == [
        "recall", "specificity", "roc_auc",
    ]  # fmt: skip
    for one in found["reader_differences"]:
        expected = by_hand(rows, one["metric"])
        for name in ("difference", "standard_error", "df", "p_value", "variance", "same_reader",
                     "same_modality", "neither"):  # fmt: skip
            assert one[name] == pytest.approx(expected[name], rel=1e-9), (one["metric"], name)
        assert one["interval"]["low"] == pytest.approx(expected["low"], rel=1e-9)
        assert (one["model"], one["reference"]) == ("new", "old")
    means = {(one["model"], one["metric"]): one for one in found["readers"]}
    assert means["new", "roc_auc"]["value"] == pytest.approx(by_hand(rows, "roc_auc")["mean_new"])
    assert {one["crossed"] for one in found["readers"]} == {left_out == 0.0}
    told = [one["note"] or "" for one in found["readers"]]
    assert all(("not every reader read every case" in note) == (left_out > 0) for note in told)


def test_tables_of_each_reader_and_their_limits(tmp_path: Path) -> None:
    rows = study()
    found = run(tmp_path, rows, spec())
    recall = next(
        one for one in found["readers"] if (one["model"], one["metric"]) == ("old", "recall")
    )
    assert [one["reader"] for one in recall["readers"]] == ["r1", "r2", "r3", "r4"]
    for one in recall["readers"]:
        ill = [r for r in rows if r["who"] == one["reader"] and r["truth"] == "ill"]
        hit = sum(r["old"] >= 4 for r in ill)
        assert (one["cells"]["tp"], one["cells"]["fn"]) == (hit, len(ill) - hit)
        wilson = stats.binomtest(hit, len(ill)).proportion_ci(0.95, "wilson")
        assert one["interval"]["low"] == pytest.approx(wilson.low, rel=1e-9)
    # rows of one case are a cluster everywhere else
    methods = {m["interval"]["method"] for m in found["measures"]}
    assert methods
    assert all(name.startswith(("cluster_robust", "obuchowski")) for name in methods), methods
    assert "readers_pooled" in {one["code"] for one in found["cautions"]}


@pytest.mark.long
def test_readers_or_cases_alone(tmp_path: Path) -> None:
    rows = study()
    errors = {}
    for random in (["readers", "cases"], ["readers"], ["cases"]):
        found = run(tmp_path, rows, spec(readers={"column": "who", "random": random}))
        one = next(d for d in found["reader_differences"] if d["metric"] == "roc_auc")
        errors[tuple(random)] = one["standard_error"]
        assert (one["df"] is None) == (random == ["cases"])
    e = by_hand(rows, "roc_auc")
    j = 4
    own = e["variance"] - e["same_reader"] + (j - 1) * (e["same_modality"] - e["neither"])
    assert errors["cases",] == pytest.approx((2 * own / j) ** 0.5)
    assert errors["readers",] <= errors["readers", "cases"]


def test_agreement_of_readers(tmp_path: Path) -> None:
    rows = study(readers=2, left_out=0.1)
    found = run(tmp_path, rows, spec())
    one = found["reader_agreement"][0]
    said: dict[str, dict[str, str]] = {}
    for row in rows:
        said.setdefault(row["case"], {})[row["who"]] = "ill" if row["old"] >= 4 else "well"
    both = [(case["r1"], case["r2"]) for case in said.values() if len(case) == 2]
    (pair,) = one["pairs"]
    assert sum(map(sum, pair["counts"])) == len(both)
    same = fmean(a == b for a, b in both)
    chance = sum(
        fmean(a == name for a, _ in both) * fmean(b == name for _, b in both)
        for name in ("ill", "well")
    )
    assert pair["kappa"] == pytest.approx((same - chance) / (1 - chance))
    values = {c["name"]: c["value"] for c in one["coefficients"]}
    assert set(values) == {"percent_agreement", "fleiss_kappa", "gwet_ac1", "krippendorff_alpha"}
    assert values["percent_agreement"] == pytest.approx(same)
    assert all(c["interval"]["low"] < c["value"] for c in one["coefficients"])


def test_agreement_of_more_than_two_classes_and_what_has_no_mean(tmp_path: Path) -> None:
    grades = ["a", "b", "c"]
    rows = [
        {"case": f"c{k}", "who": f"r{r}", "truth": grades[k % 3], "said": grades[(k * (r + 1)) % 3]}
        for k in range(30)
        for r in range(3)
    ]
    asked = spec()
    asked |= {"models": {"eye": {"prediction": "said"}}, "metrics": ["accuracy"]}
    del asked["positive"], asked["comparisons"], asked["thresholds"]
    found = run(tmp_path, rows, asked)
    assert "readers" not in found
    assert found["reader_agreement"][0]["labels"] == grades
    reasons = [s["reason"] for s in found["plan"]["skipped"] if s["task"].startswith("readers")]
    assert reasons == ["it is for two classes"]


def test_one_reader_has_no_limits_for_others_but_for_these_cases(tmp_path: Path) -> None:
    rows = study(readers=1)
    found = run(tmp_path, rows, spec())
    assert {one["reason"] for one in found["readers"]} == {
        "with one reader nothing is known of how readers differ"
    }
    assert all(one["interval"] is None for one in found["readers"])
    found = run(tmp_path, rows, spec(readers={"column": "who", "random": ["cases"]}))
    assert all(one["interval"] for one in found["readers"])


def test_cases_in_clusters_have_wider_limits(tmp_path: Path) -> None:
    rows = study(readers=3, cases=40)
    doubled = [
        {**row, "case": f"{row['case']}{eye}", "person": row["case"]}
        for row in rows
        for eye in "LR"
    ]
    alone = run(tmp_path, rows, spec())
    twice = run(tmp_path, doubled, spec(cluster="person"))
    for one, other in zip(alone["readers"], twice["readers"], strict=True):
        assert other["clusters"] == 40
        assert other["value"] == pytest.approx(one["value"])
        # two like eyes of a person tell nothing that one did not; DeLong's n - 1 counts persons
        assert other["standard_error"] == pytest.approx(one["standard_error"], rel=1e-9)


@pytest.mark.long
def test_the_case_is_the_cluster_where_the_id_names_rows(tmp_path: Path) -> None:
    rows = study()
    found = run(tmp_path, rows, spec())
    numbered = [{**row, "row": number} for number, row in enumerate(rows)]
    again = run(tmp_path, numbered, spec(id="row", cluster="case"))
    assert again["readers"] == found["readers"]
    assert run(tmp_path, rows, spec(id=None, cluster="case"))["readers"] == found["readers"]


@pytest.mark.long_but_first
@pytest.mark.parametrize("template", ["standard", "clinical", "audit", "model_card"])
def test_every_template_has_the_readers(tmp_path: Path, template: str) -> None:
    asked = spec()
    asked["report"] = {"template": template, "formats": ["html"]}
    run(tmp_path, study(), asked)
    page = (tmp_path / "runs" / "latest" / "report.html").read_text()
    for words in ("Each reader", "Mean over the readers", "Models compared over readers",
                  "Agreement of the readers", "Gwet", "Every two readers"):  # fmt: skip
        assert words in page, words


@pytest.mark.long
def test_records_are_of_the_schema_and_changed_numbers_are_found(tmp_path: Path) -> None:
    content = run(tmp_path, study(left_out=0.1), spec())
    assert not [
        error.message for error in jsonschema.Draft7Validator(results_schema()).iter_errors(content)
    ]
    results = decode(content)
    assert encode(results) == content
    for kind in (ReaderMean, ReaderDifference, ReaderAgreement):
        assert results.of(kind)
    parts = ("readers", "reader_differences", "reader_agreement")
    assert not recompute(content).problems
    missed = []
    for path in [p for part in parts for p in _numbers(content[part][-1], (part, -1))][::2]:
        changed = copy.deepcopy(content)
        inside = changed
        for step in path[:-1]:
            inside = inside[step]
        was = inside[path[-1]]
        inside[path[-1]] = was + 1 if isinstance(was, int) else was * 1.01 + 0.001
        if not recompute(changed).problems:
            missed.append(path[2:])
    # nothing is held against these: sizes of the study, thresholds, a margin that holds either way
    told = {(step[0], step[-1]) for step in missed}
    assert told <= {
        ("threshold", "threshold"), ("cases", "cases"), ("readings", "readings"),
        ("readers", "positives"), ("readers", "negatives"), ("margin", "margin"),
        ("reference_threshold", "reference_threshold"),
    }, told  # fmt: skip


def _numbers(value: Any, path: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    if isinstance(value, dict):
        return [p for key, one in value.items() for p in _numbers(one, (*path, key))]
    if isinstance(value, list):
        return [p for place, one in enumerate(value) for p in _numbers(one, (*path, place))]
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return [path] if number else []


def test_what_is_wrong_with_readings_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = study()
    run(tmp_path, [*rows, rows[0]], spec(), status=3)
    assert "'r1' read case 'c000' twice: row 1 (line 2) and row 241" in capsys.readouterr().err
    other = {**rows[1], "truth": "ill" if rows[1]["truth"] == "well" else "well"}
    run(tmp_path, [rows[0], other, *rows[2:]], spec(), status=3)
    assert "one true class for each case" in capsys.readouterr().err
    run(tmp_path, [{**rows[0], "who": ""}, *rows[1:]], spec(), status=3)
    assert "who is empty" in capsys.readouterr().err
    found = run(tmp_path, [{**rows[0], "who": ""}, *rows[1:]], spec(missing="exclude"))
    assert found["rows"][0]["excluded"] == [{"count": 1, "reason": "who is empty"}]


@pytest.mark.parametrize(
    ("dataset", "words"),
    [
        ({"id": None}, "the spec does not state which rows are of the same case"),
        ({"id": "who"}, "the case and its reader are both the column 'who'"),
        ({"weight": "old"}, "readers read cases one by one, which weight does not go with"),
        ({"readers": "whom"}, "no column 'whom' in rows.csv; did you mean 'who'?"),
        ({"readers": {"column": "who", "random": []}}, "random"),
        ({"readers": {"column": "who", "random": ["reader"]}}, "did you mean 'readers'"),
        ({"readers": {"column": "who", "case": "cas"}}, "did you mean 'case'?"),
    ],
)
def test_wrong_specs_are_told_where(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], dataset: Row, words: str
) -> None:
    write(tmp_path, study(cases=5))
    asked = spec(**dataset)
    asked["datasets"]["study"] = {k: v for k, v in asked["datasets"]["study"].items() if v}
    path = tmp_path / "spec.yaml"
    path.write_text(yaml.safe_dump(asked, sort_keys=False))
    assert status_of(["check", str(path)]) in (2, 3)
    told = capsys.readouterr().err
    assert words in told
    assert "spec.yaml:" in told


def test_engines_say_that_readings_are_read(tmp_path: Path) -> None:
    rows = study()
    write(tmp_path, rows)
    path = tmp_path / "spec.yaml"
    path.write_text(yaml.safe_dump(spec(), sort_keys=False))
    runs = tmp_path / "runs"
    assert status_of(["run", str(path), "-o", str(runs), "--quiet", "--engine", "duckdb"]) == 0
    content = json.loads((runs / "latest" / "results.json").read_text())
    reason = content["provenance"]["engine"]["reason"]
    assert "the readings of a case are kept together" in reason
    assert content["readers"] == run(tmp_path, rows, spec())["readers"]


@pytest.mark.long
def test_criteria_are_judged_by_the_mean_over_readers(tmp_path: Path) -> None:
    asked = spec()
    asked["acceptance"] = [
        {"metric": "recall", "at_least": 0.2, "bound": "lower", "model": "new"},
        {"metric": "roc_auc", "at_least": 0.99, "bound": "upper", "model": "new"},
        {"metric": "specificity", "at_least": 0.1, "model": "old"},
        {"metric": "accuracy", "at_least": 0.1, "bound": "lower", "model": "new"},
        {"metric": "roc_auc", "reference": "old", "margin": 0.05, "bound": "lower"},
    ]
    asked["metrics"].append("accuracy")
    asked["report"]["formats"] = ["html"]
    rows = study()
    write(tmp_path, rows)
    path = tmp_path / "spec.yaml"
    path.write_text(yaml.safe_dump(asked, sort_keys=False))
    assert status_of(["run", str(path), "-o", str(tmp_path / "runs"), "--quiet"]) in (0, 1)
    latest = tmp_path / "runs" / "latest"
    assert status_of(["verify", str(latest)]) == 0
    content = json.loads((latest / "results.json").read_text())
    means = {(one["model"], one["metric"]): one for one in content["readers"]}
    found = {one["criterion"]: one for one in content["acceptance"]}
    assert found[1]["observed"] == means["new", "recall"]["interval"]["low"]
    assert found[2]["observed"] == means["new", "roc_auc"]["interval"]["high"]
    assert found[3]["observed"] == means["old", "specificity"]["value"]
    (apart,) = [one for one in content["reader_differences"] if one["metric"] == "roc_auc"]
    assert found[5]["observed"] == apart["interval"]["low"]
    assert found[5]["difference"] == apart["difference"]
    assert [found[k].get("readers") for k in range(1, 6)] == [True, True, True, None, True]
    for one in found.values():
        held = one["observed"] >= one["required"]
        assert one["outcome"] == ("pass" if held else "fail")
    page = (latest / "report.html").read_text()
    assert "mean over readers" in page
    assert "readings pooled" in page
    # a number that is not that of the mean is found
    content["acceptance"][0]["observed"] += 0.001
    assert any("observed is" in one for one in map(str, recompute(content).problems))


@pytest.mark.long
def test_pooled_readings_are_called_so_wherever_they_stand(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [{**row, "sex": "fm"[int(row["case"][1:]) % 2]} for row in study()]
    asked = spec() | {"subgroups": ["sex"], "metrics": ["recall", "accuracy", "roc_auc"]}
    asked["report"] = {"formats": ["html", "markdown", "latex"]}
    write(tmp_path, rows)
    path = tmp_path / "spec.yaml"
    path.write_text(yaml.safe_dump(asked, sort_keys=False))
    assert status_of(["run", str(path), "-o", str(tmp_path / "runs")]) == 0
    latest = tmp_path / "runs" / "latest"
    content = json.loads((latest / "results.json").read_text())
    said = capsys.readouterr()
    lines = [line.strip() for line in (said.out + said.err).splitlines()]
    mean = next(m for m in content["readers"] if (m["model"], m["metric"]) == ("new", "recall"))
    at = next(k for k, line in enumerate(lines) if re.match("new(,| )", line))
    own = [line for line in lines[at + 1 :] if line.startswith("Recall")][:2]
    limits = f"{mean['interval']['low']:.3f} to {mean['interval']['high']:.3f}"
    assert re.sub(" +", " ", own[0]).startswith(
        f"Recall, mean over readers {mean['value']:.3f} {limits} "
    )
    assert own[1].startswith("Recall, readings pooled ")
    page = (latest / "report.html").read_text()
    assert "Metrics by sex, readings pooled" in page
    short = (latest / "summary.md").read_text()
    assert "| Recall, readings pooled |" in short
    # of rows that are no readings nobody says so
    del asked["datasets"]["study"]["readers"], asked["comparisons"]
    write(tmp_path, [row for row in rows if row["who"] == "r1"])
    path.write_text(yaml.safe_dump(asked, sort_keys=False))
    assert status_of(["run", str(path), "-o", str(tmp_path / "one")]) == 0
    said = capsys.readouterr()
    assert "readings pooled" not in said.out + said.err
    assert "readings pooled" not in (tmp_path / "one" / "latest" / "report.html").read_text()
