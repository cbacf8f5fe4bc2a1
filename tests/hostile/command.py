"""The command as strangers meet it: a folder of files, an earlier run, and what came of a call."""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalreport.cli import status_of

ROOT = Path(__file__).parents[2]
AT = "2026-11-21T12:00:00Z"
ENGINES = ("memory", "duckdb")
#: What the payloads of hostile files try to make.
TRACES = "EVALREPORT_PWNED_*"

SPEC = """\
evalreport: 1
title: {title}
datasets:
  d: {{path: {path}, target: y{dataset}}}
models:
  m: {model}
metrics: {metrics}
{more}
"""


def spec_text(
    path: str = "a.csv",
    model: str = "{prediction: p}",
    metrics: str = "[accuracy]",
    dataset: str = "",
    more: str = "",
    title: str = "t",
) -> str:
    """A small spec; ``dataset`` is more of the dataset, ``more`` more keys."""
    return SPEC.format(
        title=title, path=json.dumps(path), model=model, metrics=metrics, more=more,
        dataset=f", {dataset}" if dataset else "",
    )  # fmt: skip


def snapshot(folder: Path) -> dict[str, str]:
    """Every path under a folder with a hash of its content, or where its link leads."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            found[name] = f"-> {os.readlink(path)}"
        elif path.is_file():
            found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
        else:
            found[name] = "folder"
    return found


@dataclass(frozen=True)
class Outcome:
    """Exit status, both streams, and the run that `latest` shows."""

    status: int
    out: str
    err: str
    latest: Path

    @property
    def results(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.latest / "results.json").read_text("utf-8"))
        return found

    @property
    def page(self) -> str:
        return (self.latest / "report.html").read_text("utf-8")

    def measure(self, metric: str, **of: Any) -> dict[str, Any]:
        """The one record of a metric (of these fields)."""
        (found,) = [
            m
            for m in self.results["measures"]
            if m["metric"] == metric and all(m[key] == value for key, value in of.items())
        ]
        return dict(found)

    @property
    def cautions(self) -> set[str]:
        return {caution["code"] for caution in self.results["cautions"]}


class Workshop:
    """A folder with files, a spec, and a RUNS that holds an earlier run."""

    def __init__(self, folder: Path, earlier: Path | None = None) -> None:
        self.folder = folder
        self.runs = folder / "runs"
        if earlier is not None:
            shutil.copytree(earlier, self.runs, symlinks=True)

    def file(self, name: str, content: str | bytes) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
        return path

    def spec(self, text: str | bytes | None = None, **parts: Any) -> Path:
        return self.file("spec.yaml", spec_text(**parts) if text is None else text)

    def call(self, *arguments: str | Path) -> Outcome:
        """Any command, in this process; what it may never do is asserted."""
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            try:
                status = status_of([str(a) for a in arguments])
            except SystemExit as stop:
                status = int(str(stop.code))
        found = Outcome(status, out.getvalue(), err.getvalue(), self.runs / "latest")
        assert "Traceback" not in found.err + found.out
        assert status != 70, found.err
        assert not list(Path("/tmp").glob(TRACES))  # noqa: S108 - where the payloads write
        return found

    def run(self, *arguments: str, formats: str = "json", engine: str = "memory") -> Outcome:
        return self.call(
            "run", self.folder / "spec.yaml", "-o", self.runs, "--at", AT, "--quiet",
            "--engine", engine, "--formats", formats, *arguments,
        )  # fmt: skip

    def done(self, *arguments: str, status: int = 0, **options: Any) -> Outcome:
        """A run that publishes, beside earlier runs that stay as they were."""
        before = snapshot(self.runs) if self.runs.exists() else {}
        found = self.run(*arguments, **options)
        assert found.status == status, found.err
        after = snapshot(self.runs)
        changing = {"latest", "latest-spec", "history.jsonl", ".lock"}
        # the newest run of all, and of the series that is called after spec.yaml
        assert after["latest"] == after["latest-spec"]
        assert {k: after.get(k) for k in before.keys() - changing} == {
            k: before[k] for k in before.keys() - changing
        }
        assert not [name for name in after if name.startswith((".tmp", ".latest-"))]
        return found

    def refused(self, status: int, *words: str, **options: Any) -> Outcome:
        """A run that is refused with these words, and leaves everything as it was.

        But for one line in the history that is there: that it was tried, when, how it ended.
        """
        before, lines = snapshot(self.folder), self.history()
        found = self.run(**options)
        assert found.status == status, (found.status, found.err, found.out)
        assert found.err.strip()
        for word in words:
            assert word in found.err, (word, found.err)
        told, after = self.history(), snapshot(self.folder)
        assert told[: len(lines)] == lines
        for line in told[len(lines) :]:
            attempt = json.loads(line)
            assert set(attempt) == {
                "attempt",
                "n",
                "previous",
                "series",
                "sha256",
                "version",
                "when",
            }
            assert attempt["attempt"] == {"status": status}
        assert len(told) - len(lines) == (1 if lines and status in (2, 3, 4) else 0)
        name = str(self.runs.relative_to(self.folder) / "history.jsonl")
        assert {**after, name: ""} == {**before, name: ""}
        return found

    def history(self) -> list[bytes]:
        """The lines of the history; none where there is no history."""
        path = self.runs / "history.jsonl"
        return path.read_bytes().splitlines() if path.exists() else []


def environment(**changes: str | None) -> dict[str, str]:
    """The environment of a child; None takes a variable out."""
    found = {**os.environ, "PYTHONPATH": str(ROOT)}
    for name, value in changes.items():
        found.pop(name, None)
        if value is not None:
            found[name] = value
    return found


def command(*arguments: str | Path, **options: Any) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own."""
    options.setdefault("env", environment())
    return subprocess.run(
        [sys.executable, "-m", "evalreport", *map(str, arguments)],
        capture_output=True, text=True, check=False, timeout=120, **options,
    )  # fmt: skip
