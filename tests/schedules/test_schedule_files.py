"""Every ready schedule file: its syntax, and the very commands in it."""

from __future__ import annotations

import json
import os
import re
import runpy
import shutil
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import pytest
import yaml
from programs import program
from schedules.weekly_runs import SPEC, write_rows

from evalreport.cli import status_of

FILES = Path(__file__).resolve().parents[2] / "configs" / "schedules"
BIN = Path(sys.executable).parent
GOOD, BAD = (40, 10, 10, 90), (20, 30, 10, 90)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder as /srv/audit would be, without a PDF to draw."""
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / "bin").symlink_to(BIN)
    (tmp_path / "audit.yaml").write_text(SPEC, encoding="utf-8")
    write_rows(tmp_path / "week.csv", GOOD)
    return tmp_path


def run(command: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    path = f"{BIN}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        [program("bash"), "-e", "-c", command],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, "PATH": path, **environment},
        check=False,
    )


def read(name: str, folder: Path) -> str:
    return (FILES / name).read_text(encoding="utf-8").replace("/srv/audit", str(folder))


@pytest.mark.long
def test_crontab(folder: Path) -> None:
    lines = [line for line in read("crontab", folder).splitlines() if line and line[0] != "#"]
    settings = [line for line in lines if re.match(r"[A-Z]+=", line)]
    entries = [line for line in lines if line not in settings]
    assert len(entries) == 2
    for entry in entries:
        fields = entry.split(maxsplit=5)
        assert all(re.fullmatch(r"\*|[0-9]+", field) for field in fields[:5])
        # an unescaped % ends a command of cron
        assert "%" not in fields[5]
    audit, site = (entry.split(maxsplit=5)[5] for entry in entries)
    done = run(audit, folder)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    write_rows(folder / "week.csv", BAD)
    done = run(audit, folder)
    assert "recall >= 0.7, week, model, threshold 0.5: failed 1 run in a row" in done.stdout
    done = run(site, folder)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (folder / "site" / "index.html").is_file()


@pytest.mark.long
def test_systemd(folder: Path) -> None:
    for name in ("evalreport-audit.service", "evalreport-audit.timer"):
        (folder / name).write_text(read(name, folder), encoding="utf-8")
    service = (folder / "evalreport-audit.service").read_text(encoding="utf-8")
    commands = re.findall(r"^Exec\w+=-?(.+)$", service, flags=re.MULTILINE)
    assert [run(command, folder).returncode for command in commands] == [0, 0, 0]
    write_rows(folder / "week.csv", BAD)
    assert run(commands[0], folder).returncode == 1
    analyze = program("systemd-analyze")
    units = [str(folder / f"evalreport-audit.{kind}") for kind in ("service", "timer")]
    done = subprocess.run([analyze, "verify", *units], capture_output=True, text=True, check=False)
    ours = [line for line in done.stderr.splitlines() if "evalreport-audit" in line]
    assert ours == []
    when = re.search(r"^OnCalendar=(.+)$", read("evalreport-audit.timer", folder), re.MULTILINE)
    assert when is not None
    done = subprocess.run([analyze, "calendar", when[1]], capture_output=True, check=False)
    assert done.returncode == 0


class _Job:
    """One job as a runner works it: a step that fails skips the rest but what runs always."""

    def __init__(self, steps: list[dict[str, Any]], folder: Path) -> None:
        self.steps, self.folder = steps, folder
        self.cache = folder / "cache"
        self.summary = self.log = ""
        self.before = ""

    def final_state(self) -> str:
        """The state of one month's job, in a fresh checkout."""
        for name in ("runs", "site"):
            shutil.rmtree(self.folder / name, ignore_errors=True)
        for name in ("run.json", "summary"):
            (self.folder / name).unlink(missing_ok=True)
        failed, self.log = False, ""
        for step in self.steps:
            when = step.get("if", "success()")
            run = {"always()": True, "failure()": failed, "success()": not failed}[when]
            if step.get("name") == "Install" or not run:
                continue
            failed |= self._step(step) != 0
        summary = self.folder / "summary"
        self.summary = summary.read_text(encoding="utf-8") if summary.is_file() else ""
        return "failure" if failed else "success"

    def _step(self, step: dict[str, Any]) -> int:
        uses = step.get("uses", "")
        if uses.startswith("actions/cache/restore@") and self.cache.is_dir():
            shutil.copytree(self.cache, self.folder / step["with"]["path"], symlinks=True)
        if uses.startswith("actions/cache/save@"):
            shutil.rmtree(self.cache, ignore_errors=True)
            shutil.copytree(self.folder / step["with"]["path"], self.cache, symlinks=True)
        if uses:
            return 0
        command = self.before + step["run"].replace("html,pdf,", "html,")
        done = run(command, self.folder, GITHUB_STEP_SUMMARY=str(self.folder / "summary"))
        self.log += done.stdout + done.stderr
        return done.returncode


@pytest.mark.nightly
def test_github(folder: Path) -> None:
    # BaseLoader: `on` is a key of GitHub's, not a truth value
    workflow = yaml.load(read("github-actions.yml", folder), yaml.BaseLoader)
    assert set(workflow) == {"name", "on", "permissions", "concurrency", "jobs"}
    steps: list[dict[str, Any]] = workflow["jobs"]["audit"]["steps"]
    assert all(("uses" in step) != ("run" in step) for step in steps)
    # what has to happen whatever the audit came to
    for name in ("Summary", "History", "Keep the history", "Keep the reports"):
        assert next(s for s in steps if s.get("name") == name)["if"] == "always()"
    job = _Job(steps, folder)
    assert job.final_state() == "success"
    assert "0.800" in job.summary
    # a month that fails is a failed job, and is in the history of the next
    write_rows(folder / "week.csv", BAD)
    assert job.final_state() == "failure"
    assert "0.400" in job.summary
    assert len(_runs(folder)) == 2
    assert "failed" in job.log
    # a month that comes to nothing: the summary of an earlier one is not shown for it, and the
    # history of the next tells of it
    good = (folder / "week.csv").read_text(encoding="utf-8")
    for status in (2, 3, 4):
        spec = SPEC.replace("[recall", "[recal") if status == 2 else SPEC
        (folder / "audit.yaml").write_text(spec, encoding="utf-8")
        (folder / "week.csv").write_text(good.replace("truth", "answer"), encoding="utf-8")
        if status != 3:
            (folder / "week.csv").unlink()
        assert job.final_state() == "failure"
        assert job.summary == "The audit made no report this time; its log says why.\n"
        assert len(_runs(folder)) == 2
        assert _attempts(folder)[-1] == status
        assert "::error file=audit.yaml,line=" in job.log
    assert _attempts(folder) == [2, 3, 4]
    # the report that was made is shown, also where its PDF could not be
    (folder / "audit.yaml").write_text(SPEC, encoding="utf-8")
    write_rows(folder / "week.csv", GOOD)
    job.before = ENDS_WITH_4
    assert job.final_state() == "failure"
    assert "0.800" in job.summary
    assert len(_runs(folder)) == 3


#: A run that is published and ends with 4, as one whose PDF could not be made does.
ENDS_WITH_4 = """
evalreport() {
  command evalreport "$@" || return
  if test "$1" = run; then return 4; fi
}
"""


def _attempts(folder: Path) -> list[int]:
    """The exit statuses that the history tells of."""
    lines = (folder / "runs" / "history.jsonl").read_text(encoding="utf-8").splitlines()
    return [told["attempt"]["status"] for line in lines if "attempt" in (told := json.loads(line))]


def _runs(folder: Path) -> list[Path]:
    return [p.parent for p in (folder / "runs").glob("*/results.json") if not p.parent.is_symlink()]


@pytest.mark.parametrize("name", ["github-actions.yml", "gitlab-ci.yml"])
def test_what_a_pipeline_installs_is_pinned_by_hash(name: str) -> None:
    text = (FILES / name).read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.strip().startswith("#")]
    installs = [line for line in lines if "pip install" in line]
    assert installs
    assert all("--require-hashes -r requirements.txt" in line for line in installs)
    for line in lines:
        if "uses:" in line:
            pinned = r"uses: [\w-]+/[\w-]+(/[\w-]+)?@[0-9a-f]{40}  # v\d+\.\d+\.\d+$"
            assert re.search(pinned, line), line


def test_mistakes_are_marked_at_their_lines(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = folder / "audit.yaml"
    spec.write_text(SPEC.replace("metrics:", "metrcs:").replace("0.7", "7"), encoding="utf-8")
    assert status_of(["check", str(spec), "--format", "github"]) == 2
    out = capsys.readouterr()
    marks = [line for line in out.out.splitlines() if line.startswith("::error ")]
    assert len(marks) == len([line for line in out.err.splitlines() if str(spec) in line]) >= 2
    assert any(",line=12,col=1,title=evalreport::unknown key 'metrcs'" in mark for mark in marks)
    assert status_of(["check", str(spec)]) == 2
    assert "::error" not in capsys.readouterr().out


@pytest.mark.nightly
def test_gitlab(folder: Path) -> None:
    (job,) = yaml.safe_load(read("gitlab-ci.yml", folder)).values()
    assert job["artifacts"]["reports"] == {"junit": "criteria.xml"}

    def final_state() -> str:
        """As GitLab judges it: by `script`; `after_script` runs in any case."""
        for part in ("script", "after_script"):
            commands = "\n".join(job[part]).replace("html,pdf,", "html,")
            done = run(commands, folder)
            if part == "script":
                state = "success" if done.returncode == 0 else "failed"
            else:
                assert done.returncode == 0, done.stderr
        return state

    criteria = folder / "criteria.xml"
    assert final_state() == "success"
    assert "<failure" not in criteria.read_text(encoding="utf-8")
    assert (folder / "site" / "index.html").is_file()
    write_rows(folder / "week.csv", BAD)
    assert final_state() == "failed"
    assert "<failure" in criteria.read_text(encoding="utf-8")
    # without data there are no criteria, and none of an earlier run are shown for them
    (folder / "week.csv").unlink()
    assert final_state() == "failed"
    assert not criteria.exists()
    # nor where the spec is wrong; the history tells of both
    (folder / "audit.yaml").write_text(SPEC.replace("[recall", "[recal"), encoding="utf-8")
    assert final_state() == "failed"
    assert not criteria.exists()
    assert _attempts(folder) == [4, 2]


class _Task:
    made: list[_Task]

    def __init__(self, **settings: Any) -> None:
        self.settings = settings
        self.before: list[_Task] = []
        _Task.made.append(self)

    def __rshift__(self, other: _Task) -> _Task:
        other.before.append(self)
        return other


class _Dag:
    def __init__(self, **settings: Any) -> None:
        self.settings = settings

    def __enter__(self) -> _Dag:
        return self

    def __exit__(self, *error: object) -> None:
        return None


@pytest.mark.long
def test_airflow(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With stand-ins for Airflow; `make test-extras` runs it in the real one."""
    _Task.made = []
    operators = "airflow.providers.standard.operators"
    airflow, bash, empty = (
        types.ModuleType(name) for name in ("airflow", f"{operators}.bash", f"{operators}.empty")
    )
    airflow.DAG, bash.BashOperator = _Dag, _Task  # type: ignore[attr-defined]
    empty.EmptyOperator = _Task  # type: ignore[attr-defined]
    parents = operators.split(".")
    for count in range(2, len(parents) + 1):
        package = ".".join(parents[:count])
        monkeypatch.setitem(sys.modules, package, types.ModuleType(package))
    for module in (airflow, bash, empty):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    found = runpy.run_path(str(FILES / "airflow_dag.py"))
    audit, history, outcome = _Task.made
    assert history.before == [audit]
    # the last task follows the audit itself, and by Airflow's own rule: all before it succeeded
    assert outcome.before == [history, audit]
    assert "trigger_rule" not in outcome.settings
    assert history.settings["trigger_rule"] == "all_done"
    assert found["dag"].settings["max_active_runs"] == 1
    # Airflow fills {{ }} and takes a command that ends in .sh for a file
    for task in (audit, history):
        assert "{{" not in task.settings["bash_command"]
        assert not task.settings["bash_command"].strip().endswith(".sh")
    assert run(audit.settings["bash_command"], folder).returncode == 0
    assert run(history.settings["bash_command"], folder).returncode == 0
    write_rows(folder / "week.csv", BAD)
    assert run(audit.settings["bash_command"], folder).returncode == 1
    (folder / "week.csv").unlink()
    done = run(audit.settings["bash_command"], folder, AUDIT_PAUSE="0")
    assert done.returncode == 4
    assert done.stderr.count("week.csv") == 3
