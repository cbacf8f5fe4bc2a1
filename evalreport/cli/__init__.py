"""The ``evalreport`` command: thin commands over the library, exit statuses as documented.

Each command imports what it needs when it runs, so that ``check`` and ``--help``
stay quick.
"""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress
from typing import Any

import click

from evalreport.cli.progress import plain, say, tell
from evalreport.errors import EvalreportError, ExitStatus
from evalreport.version import __version__

_COMMANDS = {
    "run": "running:run",
    "check": "asking:check",
    "plan": "asking:plan",
    "design": "designing:design",
    "metrics": "asking:metrics",
    "cautions": "asking:cautions",
    "schema": "asking:schema",
    "render": "rendering:render",
    "templates": "rendering:templates",
    "sign": "sealing:sign",
    "seal": "sealing:seal",
    "verify": "verifying:verify",
    "qualify": "qualifying:qualify",
    "diff": "evidence:diff",
    "history": "evidence:history",
    "watch": "evidence:watch",
    "prune": "evidence:prune",
    "init": "starting:init",
    "merge": "starting:merge",
    "completion": "completing:completion",
}

_HELP = {
    "run": "Evaluate a spec and publish the report.",
    "check": "Find every mistake in a spec at once.",
    "plan": "Show what a run would compute, and what is skipped and why.",
    "design": "Show whether a planned study is large enough.",
    "metrics": "List the metrics, or explain one.",
    "cautions": "List the cautions a report can carry.",
    "schema": "Print the JSON Schema of the spec or of results.json.",
    "render": "Draw the report again from results.json alone.",
    "templates": "List the shipped templates, or copy one to change it.",
    "sign": "Write a signed copy of a published report.",
    "seal": "Seal a published run, so that nothing in it can change unseen.",
    "verify": "Check a run against its manifest and its tables.",
    "qualify": "Check that this installation works as tested (IQ/OQ/PQ).",
    "diff": "Show what changed between two runs.",
    "history": "List the runs of a folder with their outcomes.",
    "watch": "Show the status of every audit: failing, undecided, overdue.",
    "prune": "Remove old runs, keeping the chain of records.",
    "init": "Write a first spec for a data file.",
    "merge": "Add up rows, or counts of rows, of several files into one file of counts.",
    "completion": "Print the script that makes a shell complete commands.",
}


class LazyGroup(click.Group):
    """Knows the names and one-line helps of its commands; imports one only to run it."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order of the work."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, imported now; None for an unknown name."""
        place = _COMMANDS.get(cmd_name)
        if place is None:
            return None
        import importlib

        module, name = place.split(":")
        found: click.Command = getattr(importlib.import_module(f"evalreport.cli.{module}"), name)
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, with the nearest name where the command is unknown."""
        if args and not args[0].startswith("-") and args[0] not in _COMMANDS:
            from evalreport.errors import did_you_mean

            hint = did_you_mean(args[0], _COMMANDS, "commands")
            raise click.UsageError(f"unknown command '{args[0]}'; {hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands without importing any of them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(_HELP.items()))


@click.command(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "auto_envvar_prefix": "EVALREPORT"},
)
@click.version_option(__version__, prog_name="evalreport")
def group() -> None:
    """Evaluation reports of classifiers that can be checked by hand.

    Exit status: 0 done, 1 a criterion failed or could not be evaluated, 2 wrong
    usage or spec, 3 wrong data, 4 files, limits or rendering, 5 in use or not as
    recorded, 70 a bug, 130 and 143 interrupted.

    Options may be set by the environment: EVALREPORT_RUN_JOBS=1 is run --jobs 1.
    """


def main(args: list[str] | None = None) -> None:
    """Entry point: runs the command and exits with its documented status."""
    # Few cycles are made while modules load and pages are built; to look for them is a twentieth
    # of a short run, which does not look once with so many. Long runs need no more memory for it.
    gc.set_threshold(500_000, 20, 20)
    sys.exit(status_of(args))


def status_of(args: list[str] | None = None) -> int:
    """Runs the command and returns its exit status; problems go to standard error."""
    _open_streams()
    _utf8()
    plain()
    if sys.flags.optimize > 1:
        _say("Python was started with -OO, which drops texts that reports print; start it without")
        return int(ExitStatus.USAGE)
    try:
        result: Any = group.main(args=args, prog_name="evalreport", standalone_mode=False)
        _flush()
        return int(result or 0)
    except EvalreportError as error:
        tell([str(problem) for problem in error.problems])
        return int(error.status)
    except click.exceptions.Exit as stop:
        return int(stop.exit_code)
    except click.Abort:
        _say("interrupted")
        return int(ExitStatus.INTERRUPTED)
    except click.ClickException as error:
        return _usage(error)
    except KeyboardInterrupt:
        _say("interrupted")
        return int(ExitStatus.INTERRUPTED)
    except (OSError, MemoryError) as error:
        return _machine(error)
    except Exception as error:  # noqa: BLE001 - no traceback reaches a user
        return _bug(error)


def _usage(error: click.ClickException) -> int:
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        _print(error.format_message())
    else:
        _say(f"{error.format_message()} (evalreport --help)")
    return int(ExitStatus.USAGE)


def _machine(error: OSError | MemoryError) -> int:
    """What the machine cannot do: streams, files, memory."""
    if isinstance(error, BrokenPipeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    elif isinstance(error, MemoryError):
        _say("out of memory; use --engine duckdb or a machine with more of it")
    else:
        _say(f"{error.strerror or error}: {error.filename or 'standard output'}")
    return int(ExitStatus.FILES)


def _bug(error: Exception) -> int:
    from evalreport.runs.signals import status_of_signal

    if (stopped := status_of_signal()) is not None:
        return stopped
    if os.environ.get("EVALREPORT_TRACEBACK"):
        raise error
    _say(f"this is a bug in evalreport: {type(error).__name__}: {error}")
    _say("set EVALREPORT_TRACEBACK=1 to see where")
    return int(ExitStatus.BUG)


def _flush() -> None:
    sys.stdout.flush()


def _say(text: str) -> None:
    say(text, "problem")


def _print(text: str) -> None:
    # Where nobody can be told, the status still tells.
    with suppress(OSError):
        print(text, file=sys.stderr, flush=True)


def _open_streams() -> None:
    """Streams that the caller closed lead nowhere, so that no file of ours gets their numbers."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        continue
    os.close(descriptor)
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115


def _utf8() -> None:
    """Write UTF-8 whatever the locale says, so that the same words come out everywhere."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="backslashreplace")
