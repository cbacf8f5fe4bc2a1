"""Claims: published tables with what was printed of them, and the verdicts on it."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import jsonschema
import pytest
import yaml

from evalreport.cli import status_of
from evalreport.results.codec import decode, encode, results_schema
from evalreport.results.records import Claim, ClaimCounts

PUBLISHED = Path(__file__).parents[1] / "reference" / "claims" / "published.yaml"
TABLES: list[dict[str, Any]] = yaml.safe_load(PUBLISHED.read_text())


def claim_of(given: list[Any]) -> dict[str, Any]:
    metric, value, low, high, method, _, _ = given
    percent = value.endswith("%")
    claim = {"metric": metric, "value": value, "low": low, "high": high, "method": method}
    claim |= {"unit": "percent" if percent else "share", "source": "as published"}
    return {key: one for key, one in claim.items() if one is not None}


def spec_of(counts: list[int], claims: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    tp, fn, fp, tn = counts
    table = {"labels": ["well", "ill"], "counts": [[tn, fp], [fn, tp]]}
    return {
        "evalreport": 1,
        "datasets": {"printed": {"table": table}},
        "models": {"paper": {"prediction": "predicted"}},
        "positive": {"label": "ill"},
        "metrics": ["recall"],
        "claims": claims,
        "report": {"formats": ["html"]},
        **more,
    }


def run(folder: Path, spec: dict[str, Any], status: int = 0) -> Any:
    path = folder / "spec.yaml"
    path.write_text(yaml.safe_dump(spec, sort_keys=False))
    assert status_of(["run", str(path), "-o", str(folder / "runs"), "--quiet"]) == status
    return json.loads((folder / "runs" / "latest" / "results.json").read_text())


def test_the_set_is_of_at_least_twelve_tables() -> None:
    assert len(TABLES) >= 12
    assert len({table["id"] for table in TABLES}) == len(TABLES)
    assert all(table["source"] and table["seen"] for table in TABLES)
    seen = [table for table in TABLES if not table["seen"].startswith("not seen")]
    assert len(seen) >= 12, "tables whose counts and values were read where they stand"
    verdicts = {claim[5] for table in seen for claim in table["claims"]}
    assert verdicts == {"reproduced", "other_method", "not_reproducible"}


@pytest.mark.parametrize("table", TABLES, ids=[table["id"] for table in TABLES])
def test_published_tables_get_the_verdicts_of_the_key(
    tmp_path: Path, table: dict[str, Any]
) -> None:
    results = run(tmp_path, spec_of(table["counts"], [claim_of(c) for c in table["claims"]]))
    found = [(one["metric"], one["value"], one["outcome"], one["by"]) for one in results["claims"]]
    assert found == [
        (metric, value.removesuffix(" %"), verdict, by)
        for metric, value, _, _, _, verdict, by in table["claims"]
    ]
    if "near" in table:
        (near,) = results["claim_counts"]
        tp, fn, fp, tn = table["near"]
        assert near["found"] == 1
        assert near["nearest"] == [{"tp": tp, "fn": fn, "fp": fp, "tn": tn}]


SCANS = next(table for table in TABLES if table["id"] == "scans-as-stated")


@pytest.fixture(scope="module")
def stated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("scans")
    claims = [claim_of(given) for given in SCANS["claims"]]
    criteria = [{"metric": "recall", "at_least": 0.9}, {"claim": "all", "outcome": "reproduced"}]
    formats = {"formats": ["html", "markdown", "junit"]}
    run(folder, spec_of(SCANS["counts"], claims, acceptance=criteria, report=formats), status=1)
    return folder / "runs" / "latest"


def test_a_criterion_holds_claims_to_be_reproduced(stated: Path) -> None:
    entries = json.loads((stated / "results.json").read_text())["acceptance"]
    assert json.loads((stated / "results.json").read_text())["failures"] == []
    assert "FAILED:" not in (stated / "report.html").read_text()
    assert [(e["criterion"], e["outcome"]) for e in entries] == [
        (1, "pass"),
        *[(2, "not_reproducible")] * 3,
    ]
    suite = ET.fromstring((stated / "criteria.xml").read_text())
    assert (suite.get("tests"), suite.get("failures")) == ("4", "3")


def test_records_of_claims_are_those_of_the_schema(stated: Path) -> None:
    content = json.loads((stated / "results.json").read_text())
    results = decode(content)
    assert len(results.of(Claim)) == 3
    assert len(results.of(ClaimCounts)) == 1
    assert encode(results) == content
    assert list(jsonschema.Draft7Validator(results_schema()).iter_errors(content)) == []
    assert status_of(["verify", str(stated)]) == 0


@pytest.mark.parametrize("template", ["standard", "clinical", "audit", "model_card"])
def test_every_template_has_the_section(stated: Path, tmp_path: Path, template: str) -> None:
    made = str(tmp_path / "again")
    found = status_of(
        [
            "render",
            str(stated / "results.json"),
            "-o",
            made,
            "--template",
            template,
            "--formats",
            "html",
        ]
    )
    page = (tmp_path / "again" / "report.html").read_text()
    assert found == 0
    assert "FAILED:" not in page
    assert "Claims checked" in page
    assert "97.52 (95.50 to 98.81) %" in page
    assert "not reproducible" in page
    assert "394, 10, 0, 109 (404 and 109 rows)" in page


def test_claims_that_all_hold_pass(tmp_path: Path) -> None:
    table = next(t for t in TABLES if t["id"] == "scans-as-counted")
    claims = [claim_of(given) for given in table["claims"]]
    results = run(tmp_path, spec_of(table["counts"], claims, acceptance=[{"claim": "all"}]))
    assert {e["outcome"] for e in results["acceptance"]} == {"reproduced"}
    assert "claim_counts" not in results


def test_limits_of_another_method_than_is_stated(tmp_path: Path) -> None:
    """Wilson's limits of 81 of 263, called exact; and limits whose method nobody states."""
    claims = [
        {
            "metric": "recall",
            "value": "0.3080",
            "low": "0.2553",
            "high": "0.3662",
            "method": "clopper_pearson",
        },
        {"metric": "recall", "value": "0.3080", "low": "0.2553", "high": "0.3662"},
        {"metric": "recall", "value": "0.3080", "low": "0.2553", "high": "0.3600"},
    ]
    results = run(
        tmp_path, spec_of([81, 182, 1, 1], claims, acceptance=[{"claim": "all"}]), status=1
    )
    found = [(one["outcome"], one["by"]) for one in results["claims"]]
    assert found == [
        ("other_method", "wilson"),
        ("reproduced", "wilson"),
        ("not_reproducible", None),
    ]
    tried = set(results["claims"][0]["tried"])
    assert {"wilson", "clopper_pearson", "mid_p", "jeffreys", "agresti_coull"} <= tried
    assert not any(name.startswith("bootstrap") for name in tried)
    assert results["claims"][2]["value_reproduced"] is True


def test_limits_of_another_level(tmp_path: Path) -> None:
    """Clopper-Pearson at 90 % of 0 of 20: 1 - 0.05^(1/20) = 0.1391 (as mid-p at 95 %)."""
    claims = [
        {
            "metric": "recall",
            "value": "0",
            "low": "0",
            "high": "0.1391",
            "level": 0.9,
            "method": "clopper_pearson",
        }
    ]
    results = run(tmp_path, spec_of([0, 20, 1, 1], claims))
    assert results["claims"][0]["outcome"] == "reproduced"


@pytest.mark.parametrize(
    ("claim", "told"),
    [
        ({"metric": "recall", "value": "high"}, "a number as it is printed"),
        ({"metric": "recall", "value": "0.9", "low": "0.95", "high": "0.8"}, "is above the upper"),
        ({"metric": "recall", "value": "0.9", "method": "wilson"}, "limits that are not given"),
        ({"metric": "recall", "value": "0.9", "low": "0.8", "method": "delong"}, "no interval"),
        ({"metric": "recal", "value": "0.9"}, "recall"),
        ({"metric": "recall", "value": "0.9", "unit": "permille"}, "percent"),
        ({"metric": "recall"}, "value"),
        ({"metric": "recall", "value": "0.91%"}, "value is '0.91%'; unit: percent beside it"),
        ({"metric": "recall", "value": "0.91", "low": "88 %"}, "low is '88 %'; unit: percent"),
        ({"metric": "recall", "value": "91.0"}, "never 91.0; unit: percent, if 91.0 % is meant"),
        ({"metric": "recall", "value": "120", "unit": "percent"}, "never 120 %; a value from 0 to"),
        ({"metric": "recall", "value": "-0.1"}, "never -0.1; a value from 0 to 1"),
    ],
)
def test_wrong_claims_are_told_where_they_stand(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], claim: dict[str, Any], told: str
) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text(yaml.safe_dump(spec_of([9, 1, 1, 9], [claim]), sort_keys=False))
    assert status_of(["check", str(path)]) == 2
    found = capsys.readouterr().err
    assert told in found
    assert "spec.yaml:" in found


def test_limits_of_predictive_values_by_recall_and_specificity(tmp_path: Path) -> None:
    """Asked for in the spec, and held to the formula of Mercaldo, Lau and Zhou in plain words."""
    table = next(t for t in TABLES if t["id"] == "chest-ct-overall")
    asked = {"metrics": ["precision", "npv"], "confidence": {"methods": {"npv": "mercaldo"}}}
    results = run(tmp_path, spec_of(table["counts"], [], **asked))
    found = {m["metric"]: m["interval"] for m in results["measures"]}
    tp, fn, fp, tn = table["counts"]
    odds = math.log(tn / fn)
    error = math.sqrt(tp / fn / (tp + fn) + fp / tn / (fp + tn))
    ends = [1 / (1 + math.exp(-(odds + side * 1.959963984540054 * error))) for side in (-1, 1)]
    assert found["npv"]["method"] == "mercaldo"
    assert [found["npv"]["low"], found["npv"]["high"]] == pytest.approx(ends, rel=1e-12)
    assert found["precision"]["method"] == "wilson"


def test_neighbouring_counts_are_found_by_such_limits_too(tmp_path: Path) -> None:
    table = next(t for t in TABLES if t["id"] == "chest-ct-overall")
    one_off = [418, 44, 66, 245]
    methods = {"precision": "mercaldo", "npv": "mercaldo"}
    claims = [claim_of(given) for given in table["claims"]]
    for claim in claims:
        claim["method"] = methods.get(claim["metric"], "clopper_pearson")
    (near,) = run(tmp_path, spec_of(one_off, claims))["claim_counts"]
    assert near["found"] == 1
    assert [near["nearest"][0][cell] for cell in ("tp", "fn", "fp", "tn")] == table["counts"]
