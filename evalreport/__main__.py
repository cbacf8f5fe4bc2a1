"""The command ``evalreport``, and ``python -m evalreport``."""

from __future__ import annotations

from evalreport.cli import main
from evalreport.processes import keep_children_safe
from evalreport.runs.signals import stopping_cleanly


def program() -> None:
    """Run the command, which ends the process with its status."""
    keep_children_safe()
    with stopping_cleanly():
        main()


if __name__ == "__main__":
    program()
