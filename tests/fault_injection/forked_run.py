"""The command in forked children of one warm process: imports are paid for once.

    python forked_run.py PLAN

PLAN is a JSON list of [environment, arguments]; the first is run in this process,
to import everything, and without an answer. The answers to the rest, one line each,
are [status, standard error].
"""

from __future__ import annotations

import ctypes
import io
import json
import os
import sys
from contextlib import redirect_stderr, redirect_stdout

from evalreport.cli import status_of


def once(environment: dict[str, str], arguments: list[str]) -> tuple[int, str]:
    """One run in a child whose libc sees the environment."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.close(reader)
        libc = ctypes.CDLL(None)
        for name, value in environment.items():
            libc.setenv(name.encode(), value.encode(), 1)
        out, err = io.StringIO(), io.StringIO()
        status = 99
        try:
            with redirect_stdout(out), redirect_stderr(err):
                try:
                    status = status_of(arguments)
                except SystemExit as stop:
                    status = int(str(stop.code))
        finally:
            libc.unsetenv(b"FAULT_AT")
            os.write(writer, err.getvalue().encode()[:60_000])
            os._exit(status)
    os.close(writer)
    told = b""
    while piece := os.read(reader, 1 << 16):
        told += piece
    os.close(reader)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status), told.decode()


def main(plan: str) -> None:
    with open(plan, encoding="utf-8") as file:
        (_, warming), *tasks = json.load(file)
    if status_of(warming):
        sys.exit("the first run has to work")
    for environment, arguments in tasks:
        print(json.dumps(once(environment, arguments)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
