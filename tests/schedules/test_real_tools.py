"""MLflow, Airflow, the Hugging Face reader and published schemas, for real.

They stand in environments of their own, which `make test-extras` makes: EVALREPORT_EXTRAS
names the folder that holds `tools` (mlflow-skinny, huggingface_hub, check-jsonschema,
lxml) and `airflow`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from programs import lacks
from schedules.weekly_runs import SPEC, audit, results, write_rows

from evalreport.cli import status_of

ROOT = Path(__file__).resolve().parents[2]
FILES = ROOT / "configs" / "schedules"
EXTRAS = Path(os.environ.get("EVALREPORT_EXTRAS") or "?").absolute()
BIN = Path(sys.executable).parent
GOOD, BAD = (40, 10, 10, 90), (20, 30, 10, 90)


def python(name: str) -> str:
    path = EXTRAS / name / "bin" / "python"
    if not path.is_file():
        lacks(f"an environment with {name} (make test-extras)")
    return str(path)


def call(name: str, code: str, *arguments: str, **environment: str) -> Any:
    """What a script in another environment prints as JSON in its last line."""
    done = subprocess.run(
        [python(name), "-c", code, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        timeout=400,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


LOGGING = """
import json, sys
import mlflow
from mlflow.tracking import MlflowClient
from evalreport.tracking import log_run
with mlflow.start_run() as run:
    logged = log_run(sys.argv[1])
found = MlflowClient().get_run(run.info.run_id)
files = [f.path for f in MlflowClient().list_artifacts(run.info.run_id, "evalreport")]
print(json.dumps([logged, found.data.metrics, found.data.tags, files]))
"""


def test_mlflow_takes_measures_tags_and_files(tmp_path: Path) -> None:
    audit(tmp_path, GOOD, 1)
    run = tmp_path / "runs" / "latest"
    logged, metrics, tags, files = call(
        "tools",
        LOGGING,
        str(run),
        MLFLOW_TRACKING_URI=(tmp_path / "mlruns").as_uri(),
        MLFLOW_ALLOW_FILE_STORE="true",
    )
    assert metrics == pytest.approx(logged)
    assert metrics["week/model/recall/ill/at 0.5"] == 0.8
    assert tags["evalreport.run"] == run.resolve().name
    assert tags["evalreport.accepted"] == "true"
    assert {f"evalreport/{p.name}" for p in run.iterdir()} == set(files)


READING = """
import json, sys
from huggingface_hub import ModelCard
card = ModelCard("---\\n" + open(sys.argv[1], encoding="utf-8").read() + "\\n---\\n# Card\\n")
print(json.dumps([card.data.model_name, [
    [r.task_type, r.dataset_name, r.metric_type, r.metric_name, r.metric_value]
    for r in card.data.eval_results]]))
"""


def test_the_model_index_is_read_by_the_hub_library(tmp_path: Path) -> None:
    audit(tmp_path, GOOD, 1, "--formats", "model_index")
    name, entries = call("tools", READING, str(tmp_path / "runs" / "latest" / "model-index.yaml"))
    assert name == "model"
    measures = {m["metric"]: m["value"] for m in results(tmp_path / "runs" / "latest")["measures"]}
    assert {(kind, value) for _, _, kind, _, value in entries} == set(measures.items())
    assert {(task, dataset) for task, dataset, *_ in entries} == {
        ("tabular-classification", "week")
    }


VALIDATING = """
import json, sys
from lxml import etree
schema = etree.XMLSchema(etree.parse(sys.argv[1]))
schema.assertValid(etree.parse(sys.argv[2]))
print("true")
"""


@pytest.mark.parametrize("counts", [GOOD, BAD, (0, 0, 10, 90)])
def test_criteria_are_a_junit_file(tmp_path: Path, counts: tuple[int, int, int, int]) -> None:
    spec = SPEC.replace("    labels", "    missing: exclude\n    labels")
    audit(tmp_path, counts, 1, "--formats", "junit", spec=spec)
    file = tmp_path / "runs" / "latest" / "criteria.xml"
    schema = Path(__file__).with_name("junit.xsd")
    assert call("tools", VALIDATING, str(schema), str(file)) is True


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("github-actions.yml", ["--builtin-schema", "vendor.github-workflows"]),
        (
            "gitlab-ci.yml",
            ["--builtin-schema", "vendor.gitlab-ci", "--data-transform", "gitlab-ci"],
        ),
    ],
)
def test_published_schemas(name: str, arguments: list[str], tmp_path: Path) -> None:
    command = [python("tools"), "-m", "check_jsonschema", *arguments]
    done = subprocess.run([*command, str(FILES / name)], capture_output=True, check=False)
    assert done.returncode == 0, done.stdout
    # the same check fails for a file that is none
    broken = tmp_path / name
    broken.write_text(
        (FILES / name).read_text().replace("script:", "scrpt:").replace("runs-on:", "runs-onn:")
    )
    done = subprocess.run([*command, str(broken)], capture_output=True, check=False)
    assert done.returncode != 0


RUNNING = """
import json, sys
from airflow.dag_processing.dagbag import DagBag
bag = DagBag(sys.argv[1])
assert not bag.import_errors, bag.import_errors
run = bag.dags["classifier_audit"].test()
states = {t.task_id: str(t.state) for t in run.get_task_instances()}
from airflow.models.xcom import XComModel
found = XComModel.get_many(run_id=run.run_id, key="return_value", task_ids="audit")
from airflow.utils.session import create_session
with create_session() as session:
    handed = [XComModel.deserialize_value(one) for one in session.scalars(found)]
print()
print(json.dumps([str(run.state), states, handed]))
"""


def test_airflow_runs_the_dag(tmp_path: Path) -> None:
    folder, dags = tmp_path / "audit", tmp_path / "dags"
    for each in (folder, dags):
        each.mkdir()
    (folder / "audit.yaml").write_text(SPEC, encoding="utf-8")
    text = (FILES / "airflow_dag.py").read_text(encoding="utf-8")
    (dags / "dag.py").write_text(text.replace("/srv/audit", str(folder)), encoding="utf-8")
    environment = {
        "AIRFLOW_HOME": str(tmp_path / "home"),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__CORE__DAGS_FOLDER": str(dags),
        "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
    }
    made = subprocess.run(
        [python("airflow"), "-m", "airflow", "db", "migrate"],
        capture_output=True,
        check=False,
        env={**os.environ, **environment},
        timeout=400,
    )
    assert made.returncode == 0
    for counts, expected in ((GOOD, "success"), (BAD, "failed")):
        write_rows(folder / "week.csv", counts)
        state, states, handed = call("airflow", RUNNING, str(dags), **environment)
        # the pages are made whatever the audit came to, and the run ends as the audit did
        outcome = "success" if expected == "success" else "upstream_failed"
        assert states == {"audit": expected, "history": "success", "outcome": outcome}
        assert state.rpartition(".")[2].casefold() == expected
        # what a passed audit hands on names its run
        made = [one["run"] for one in handed]
        assert made == [(folder / "runs" / "latest").resolve().name] * (expected == "success")
    assert status_of(["verify", str(folder / "runs")]) == 0
    assert (folder / "site" / "index.html").is_file()
