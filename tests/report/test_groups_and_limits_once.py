"""Groups stand worst first, the worst is named; what a table has said is not told again."""

from __future__ import annotations

import json
from typing import Any

from plain_results import render_html
from report.example_results import two_models
from report.html_page import parse

import evalreport

LARGE, MEDIUM, SMALL = "large (15 or more)", "medium (12 to 15)", "small (under 12)"


def _table(page, section, words):
    own = next(s for s in parse(page).all("section") if s.attrs["id"] == section)
    return next(t for t in own.all("table") if words in t.text)


def _gap(results, model, gap, group, against):
    found = {m["subgroup"].get("size"): m for m in results["measures"]
             if m["model"] == model and m["metric"] == "recall" and m["subgroup"]}  # fmt: skip
    m, other = found[group], found[against]
    same = ("dataset", "model", "metric", "params", "average", "label", "threshold",
            "threshold_rule")  # fmt: skip
    return {
        **{k: m.get(k) for k in same}, "columns": ["size"], "subgroup": {"size": group},
        "against": "largest group", "against_subgroup": {"size": against}, "measure": m["id"],
        "against_measure": other["id"], "n": 169, "against_n": 226, "value": m["value"],
        "against_value": other["value"], "gap": gap, "few": False, "reason": None,
        "gap_interval": {"low": gap - 0.1, "high": gap + 0.1, "level": 0.95, "method": "newcombe"},
        "ratio": None, "ratio_interval": None, "ratio_reason": None,
    }  # fmt: skip


def test_groups_stand_worst_first_and_shares_of_few_rows_say_so():
    page = render_html(two_models())
    strip = _table(page, "subgroups", "Metrics by size")
    heads = [th.text for row in strip.all("tbody")[0].all("tr") for th in row.all("th")]
    assert heads == [SMALL, MEDIUM, LARGE]
    # of six malignant small masses three are found; of 226 rows a group is not small
    told = [svg.attrs["aria-label"] for svg in parse(page).all("svg", **{"class": "chart"})]
    (told,) = [text for text in told if text.startswith("Recall by size")]
    names = [part.split(":")[0] for part in told.removeprefix("Recall by size. ").split("; ")]
    own = ["logistic", "forest"]
    few = [f"{name}, too few" for name in own]
    assert names == ["all rows", *own, SMALL, *few, MEDIUM, *own, LARGE, *own]


def test_a_group_of_many_rows_is_not_small_beside_several_metrics():
    results = two_models()
    small = [m for m in results["measures"] if m["subgroup"].get("size") == SMALL]
    assert all(m["n"] > 100 for m in small)
    strip = _table(render_html(results), "subgroups", "Metrics by size")
    assert "small n" not in strip.text


def test_the_first_page_names_the_group_that_fares_worst_of_those_that_can_be_judged():
    """Counted in the data: 29 of 45 malignant masses of medium size, 3 of 6 small ones."""
    results = two_models()
    # the widest gap is that of the group which does better
    results["subgroup_gaps"] = [
        _gap(results, "logistic", 0.05, SMALL, MEDIUM),
        _gap(results, "logistic", 0.25, LARGE, MEDIUM),
    ]
    page = render_html(results)
    first = next(s for s in parse(page).all("section") if s.attrs["id"] == "verdict")
    told = next(dd.text for dd in first.all("dd") if "Too few to judge" in dd.text)
    assert told.startswith(f"size {MEDIUM}: Recall 0.644, 29 of 45 (0.498 to 0.768) for logistic")
    assert "and 0.689, 31 of 45 (0.543 to 0.805) for forest." in told
    assert f"Too few to judge: size {SMALL}, 6 " in told
    assert LARGE not in told
    gaps = _table(page, "subgroups", "Gaps by size")
    row = next(r for r in gaps.all("tr") if "+0.250" in r.text)
    assert f"{SMALL}, 3 / 6, too few" in row.text


def test_no_group_is_named_where_none_fares_worse_than_all_rows():
    results = two_models()
    for m in results["measures"]:
        if m["subgroup"] and m["metric"] == "recall":
            m["value"] = 0.9
    first = next(
        s for s in parse(render_html(results)).all("section") if s.attrs["id"] == "verdict"
    )
    assert "Groups. Too few to judge: " in first.text


def test_a_criterion_that_the_results_show_is_not_listed_again():
    results = two_models()
    root = parse(render_html(results))
    table = next(t for t in root.all("table") if "Acceptance criteria" in t.text)
    # the lower limit of recall stands in the results with its requirement
    assert "not evaluated" in table.text
    assert "0.7" not in [td.text for td in table.all("td")]
    assert len(table.all("tbody")[0].all("tr")) < len(results["acceptance"])


def test_a_criterion_whose_deciding_digits_are_elsewhere_is_listed():
    results = two_models()
    entry = results["acceptance"][0]
    measure = next(m for m in results["measures"] if m["id"] == entry["measure"])
    close = round(measure["interval"]["low"], 3)
    entry["required"] = close
    entry["outcome"] = "pass" if measure["interval"]["low"] >= close else "fail"
    root = parse(render_html(results))
    table = next(t for t in root.all("table") if "Acceptance criteria" in t.text)
    assert "Recall" in table.text


def _impact(model, threshold=0.5):
    def of(group, selected, n, ratio, *, highest):
        return {"subgroup": {"size": group}, "n": n, "rows": n, "selected": selected,
                "share_of_rows": 0.5, "selection_rate": selected / n, "impact_ratio": ratio,
                "interval": None, "p_value": None, "highest": highest,
                "below_four_fifths": not highest,
                "under_two_percent": False, "small": False, "unknown": False, "reason": None,
                "bounds": None}  # fmt: skip

    return {"dataset": "d", "model": model, "columns": ["size"], "kind": "selection",
            "label": "malignant", "threshold": threshold, "threshold_rule": None, "median": None,
            "unknown": 0, "smallest_share": 0.02, "reason": None,
            "categories": [of(LARGE, 40, 100, 1.0, highest=True),
                           of(SMALL, 10, 100, 0.25, highest=False)]}  # fmt: skip


def test_rates_of_several_models_stand_in_one_table():
    results = two_models()
    results["impact"] = [_impact("logistic"), _impact("forest")]
    page = render_html(results, "audit")
    table = _table(page, "subgroups", "Selection rates and impact ratios by size")
    rows = [row.all("th")[0].text for row in table.all("tbody")[0].all("tr")]
    assert rows == [
        "● logistic, predicted malignant, score ≥ 0.50", LARGE, SMALL,
        "◆ forest, predicted malignant, score ≥ 0.50", LARGE, SMALL,
    ]  # fmt: skip


def test_methods_do_not_repeat_the_meanings_that_stand_with_the_values():
    results = two_models()
    page = render_html(results)
    root = parse(page)
    methods = next(s for s in root.all("section") if s.attrs["id"] == "methods")
    heads = [th.text for th in methods.all("thead")[0].all("th")]
    assert heads == ["metric", "use", "interval", "reference"]
    # without the sections in which meanings stand, they stand here
    results = json.loads(json.dumps(results))
    results["spec"]["report"] = {"sections": ["verdict", "methods"]}
    methods = next(
        s for s in parse(render_html(results)).all("section") if s.attrs["id"] == "methods"
    )
    assert [th.text for th in methods.all("thead")[0].all("th")][1:3] == ["what it is", "formula"]


def test_a_plot_that_the_first_page_has_room_for_stands_nowhere_else() -> None:
    """Of groups where there are some, else of folds; one too long for it stays in its section."""
    many = 120
    truth = [k % 2 for k in range(many)]
    frame = {
        "y": truth,
        "s": [0.3 * t + (k * 7 % 10) / 14 for k, t in enumerate(truth)],
        "f": [str(k // 2 % 4) for k in range(many)],
        "site": ["ab"[k // 8 % 2] for k in range(many)],
        "ward": [str(k // 2 % 20) for k in range(many)],
    }

    def places(**more: Any) -> list[tuple[str, str]]:
        spec = {
            "evalreport": 1,
            "datasets": {"d": {"target": "y", **more.pop("dataset", {})}},
            "models": {"m": {"score": "s"}},
            "metrics": ["recall", "roc_auc"],
            **more,
        }
        page = parse(evalreport.run(spec, frames={"d": frame}).to_html())
        return [
            (section.attrs["id"], word)
            for section in page.all("section")
            for chart in section.all("svg")
            for word in ("by site", "by ward", "by fold")
            if word in chart.attrs.get("aria-label", "")
        ]

    assert places(subgroups=["site"]) == [("verdict", "by site")]
    assert places(subgroups=["ward"]) == [("subgroups", "by ward")]
    assert places(dataset={"fold": "f"}) == [("verdict", "by fold")]
