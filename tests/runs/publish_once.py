"""Publishing for tests, with a fault at the N-th call; as a script, killed at each step."""

from __future__ import annotations

import errno
import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from evalreport.runs.hashing import FileRecord, canonical_json, sha256
from evalreport.runs.manifest import InputFile, RunDetails
from evalreport.runs.run_folder import RunFolder
from evalreport.runs.signals import stopping_cleanly

WHEN = datetime(2026, 11, 21, 12, 0, 0, tzinfo=UTC)
CALLS = ("open", "write", "fsync", "mkdir", "rename", "replace", "symlink") + (
    "unlink",
    "rmdir",
    "ftruncate",
    "close",
    "scandir",
)


def details(text: str = "one", outcome: str = "passed") -> RunDetails:
    return RunDetails(
        when="2026-11-21T12:00:00Z",
        version="0.1.0",
        outcome=outcome,
        spec=FileRecord(spec_sha256(text), 10),
        plan_sha256=sha256(b"plan"),
        inputs=(InputFile("dataset", "holdout.csv", sha256(text.encode()), len(text)),),
        versions={"numpy": "2.3.0"},
        settings={"seed": 0},
    )


def spec_sha256(text: str) -> str:
    return sha256(b"spec " + text.encode())


def publish(runs: Path, text: str = "one", wait: float = 20.0, pause: float = 0.0) -> Path:
    with RunFolder(runs, spec_sha256(text), WHEN, wait) as folder:
        folder.write("results.json", canonical_json({"text": text}))
        time.sleep(pause)
        folder.write("report.html", f"<p>{text}</p>".encode() * 20)
        folder.write("measures.csv", text.encode())
        return folder.publish(details(text))


def texts(run: Path) -> set[str]:
    """What each file of a run says it belongs to: one text unless runs were mixed."""
    page = (run / "report.html").read_text()
    first = page.split("</p>")[0].removeprefix("<p>")
    assert page == f"<p>{first}</p>" * 20
    results = json.loads((run / "results.json").read_text())["text"]
    return {first, results, (run / "measures.csv").read_text()}


class Fault:
    """Does something at the N-th of the system calls that change files, and perhaps ever after."""

    def __init__(self, at: int, kind: str) -> None:
        self.at, self.kind, self.calls, self.fired = at, kind, 0, False

    def hit(self, name: str, call: Callable[..., Any], *args: Any, **more: Any) -> Any:
        self.calls += 1
        due = self.calls == self.at or (self.kind == "broken" and self.calls > self.at)
        # A failed close still lets go of the descriptor; nothing else does.
        if not due or (name == "close" and self.kind not in ("kill", "term", "after")):
            return call(*args, **more)
        self.fired = True
        if self.kind == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if self.kind == "after":
            try:
                call(*args, **more)
            finally:
                os.kill(os.getpid(), signal.SIGKILL)
        if self.kind == "term":
            os.kill(os.getpid(), signal.SIGTERM)
            return call(*args, **more)
        if self.kind == "short" and name == "write":
            return call(args[0], bytes(args[1])[: max(1, len(args[1]) // 2)])
        if self.kind == "torn" and name == "write":
            call(args[0], bytes(args[1])[: len(args[1]) // 2])
        if self.kind == "short":
            return call(*args, **more)
        number = errno.ENOSPC if self.kind in ("full", "torn") else errno.EIO
        raise OSError(number, os.strerror(number))

    @contextmanager
    def injected(self) -> Iterator[None]:
        found = {name: getattr(os, name) for name in CALLS}

        def faulty(name: str) -> Callable[..., Any]:
            return lambda *args, **more: self.hit(name, found[name], *args, **more)

        for name in CALLS:
            setattr(os, name, faulty(name))
        try:
            yield
        finally:
            for name, call in found.items():
                setattr(os, name, call)


def sweep(base: Path, kind: str) -> None:
    """For every N: publish "old", then publish "new" in a child that meets its fault at call N."""
    step = 0
    while True:
        step += 1
        runs = base / f"{step:03}"
        publish(runs, "old")
        child = os.fork()
        if not child:
            code = 70
            try:
                fault = Fault(step, kind)
                with stopping_cleanly(), fault.injected():
                    publish(runs, "new")
                code = 0 if fault.calls >= step else 99
            except SystemExit as stop:
                code = int(str(stop.code))
            finally:
                os._exit(code)
        _, status = os.waitpid(child, 0)
        (runs.with_suffix(".status")).write_text(str(os.waitstatus_to_exitcode(status)))
        if os.waitstatus_to_exitcode(status) == 99:
            return


def main(action: str, runs: str, *rest: str) -> None:
    if action == "sweep":
        sweep(Path(runs), rest[0])
    elif action == "many":
        for count in range(int(rest[1])):
            publish(Path(runs), f"{rest[0]}-{count}", pause=0.002)
    elif action == "wait":
        with stopping_cleanly(), RunFolder(Path(runs), spec_sha256("x"), WHEN) as folder:
            folder.write("results.json", b"{}\n")
            print("ready", flush=True)
            time.sleep(60)
    elif action == "limited":
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (int(rest[0]), int(rest[0])))
        publish(Path(runs), "new")


if __name__ == "__main__":
    main(*sys.argv[1:])
