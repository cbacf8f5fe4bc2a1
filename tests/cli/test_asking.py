"""Commands that only answer: what they print, and what they say to a wrong question."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evalreport.cli import status_of
from evalreport.metrics.catalogue import catalogue
from evalreport.version import __version__

ROOT = Path(__file__).parents[2]
SPEC = str(ROOT / "configs" / "breast_cancer.yaml")
#: Words that stand before every answer about a metric.
ASKED = ("meaning", "range", "better", "needs", "undefined", "interval", "reference")


@pytest.mark.parametrize("metric", catalogue(), ids=lambda m: m.name)
def test_every_metric_is_explained(metric, capsys):
    assert status_of(["metrics", metric.name]) == 0
    told = capsys.readouterr().out
    assert told.startswith(f"{metric.name}: {metric.title}")
    words = [line.split()[0] for line in told.splitlines()[2:] if line[2:3].strip()]
    assert set(words) >= {w for w in ASKED if w != "undefined" or metric.undefined}
    assert all(len(line) <= 88 or " " not in line.strip() for line in told.splitlines()[1:])
    by_alias = [status_of(["metrics", alias]) for alias in metric.aliases]
    assert set(by_alias) <= {0}
    assert capsys.readouterr().out == told * len(by_alias)


def test_metrics_are_listed_and_searched(capsys):
    assert status_of(["metrics"]) == 0
    every = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0].split(" ")[0] for line in every] == [m.name for m in catalogue()]
    assert status_of(["metrics", "--search", "prevalence"]) == 0
    found = capsys.readouterr().out.splitlines()
    assert 1 < len(found) < len(every)
    assert set(found) < set(every)
    assert status_of(["metrics", "--search", "zebra"]) == 0
    assert "no metric mentions 'zebra'" in capsys.readouterr().err


def test_a_metric_that_is_not_known_gets_a_proposal(capsys):
    assert status_of(["metrics", "recal"]) == 2
    assert "did you mean 'recall'" in capsys.readouterr().err


def test_cautions_are_listed_with_what_to_read_instead(capsys):
    from evalreport.engine.cautions.catalogue import rows

    assert status_of(["cautions"]) == 0
    told = capsys.readouterr().out
    assert told.count("read instead: ") == len(rows())
    assert all(f"{row['code']} ({row['severity']})" in told for row in rows())


@pytest.mark.parametrize("which", ["spec", "results"])
def test_schemas_are_json(which, capsys):
    assert status_of(["schema", which]) == 0
    assert json.loads(capsys.readouterr().out)["type"] == "object"


def test_a_right_spec_is_said_to_be_right(capsys):
    assert status_of(["check", SPEC]) == 0
    told = capsys.readouterr().out
    assert told.startswith(f"{Path(SPEC).name}: no mistakes found; 1 dataset, 2 models")


@pytest.mark.parametrize("style", ["text", "github"])
def test_a_wrong_spec_is_told_at_its_place(style, tmp_path, capsys):
    spec = tmp_path / "wrong.yaml"
    data = "{a: {path: absent.csv, target: y}}"
    spec.write_text(f"evalreport: 1\ndatasets: {data}\nmetrics: [recal]\n")
    assert status_of(["check", str(spec), "--format", style]) == 2
    told = capsys.readouterr()
    assert f"{spec}:3:11" in told.err
    assert ("::error " in told.out) is (style == "github")


def test_plan_as_text_and_as_json(capsys):
    assert status_of(["plan", SPEC]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("plan ")
    assert status_of(["plan", SPEC, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["tasks"]


def test_version_help_and_wrong_words(capsys):
    assert status_of(["--version"]) == 0
    assert __version__ in capsys.readouterr().out
    assert status_of(["--help"]) == 0
    assert "Exit status" in capsys.readouterr().out
    assert status_of(["rune"]) == 2
    assert "run" in capsys.readouterr().err
    assert status_of(["check"]) == 2
    assert "SPEC" in capsys.readouterr().err
