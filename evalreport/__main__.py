"""The command ``evalreport``, and ``python -m evalreport``: a process of its own, to its end."""

from __future__ import annotations

import atexit
import os
import sys
import threading
from contextlib import suppress
from typing import NoReturn

from evalreport.cli import main
from evalreport.processes import become_own_process, keep_children_safe
from evalreport.record.signals import stopping_cleanly


def program() -> NoReturn:
    """Run the command and end the process with its status."""
    become_own_process()
    keep_children_safe()
    try:
        with stopping_cleanly():
            main()
    except SystemExit as stop:
        status = stop.code if isinstance(stop.code, int) else 1
    if not _may_leave():
        sys.exit(status)
    # All is published and closed. To take apart module after module would be a sixth of
    # a short run; what was registered to be done at the end is done.
    with suppress(Exception):
        atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(status)


def _may_leave() -> bool:
    """Whether nobody waits for the end: no profiler, no other process, no other thread."""
    watched = sys.getprofile() is not None or sys.gettrace() is not None
    waiting = [t for t in threading.enumerate() if t is not threading.current_thread()]
    alone = all(t.daemon for t in waiting) and "multiprocessing" not in sys.modules
    return alone and not watched


if __name__ == "__main__":
    program()
