"""``evalreport completion``: the script by which a shell completes the command."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

#: The variable by which click is asked for completions, from the name of the program.
VARIABLE = "_EVALREPORT_COMPLETE"
SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
def completion(shell: str) -> int:
    """Print the script that makes SHELL complete commands, options, metrics and runs.

    \b
    bash: echo 'eval "$(evalreport completion bash)"' >> ~/.bashrc
    zsh:  echo 'eval "$(evalreport completion zsh)"' >> ~/.zshrc
    fish: evalreport completion fish > ~/.config/fish/completions/evalreport.fish
    """  # noqa: D301 - click keeps the lines after this sign
    from click.shell_completion import get_completion_class

    from evalreport.cli import group

    kind: Any = get_completion_class(shell)
    script = kind(group, {}, "evalreport", VARIABLE)
    click.echo(script.source_template % script.source_vars())
    return 0


def metric_names(_context: Any, _parameter: Any, incomplete: str) -> list[str]:
    """Names and aliases of metrics that begin so."""
    from evalreport.metrics.catalogue import known_names

    return sorted(name for name in known_names() if name.startswith(incomplete))


def template_names(_context: Any, _parameter: Any, incomplete: str) -> list[Any]:
    """Shipped templates that begin so."""
    from evalreport.report.wording import TEMPLATES

    return [name for name in TEMPLATES if name.startswith(incomplete)]


def run_folders(_context: Any, _parameter: Any, incomplete: str) -> list[str]:
    """Runs of a folder: those in the folder named so far, else in ``runs``."""
    typed = Path(incomplete)
    folder = typed if incomplete.endswith("/") else typed.parent
    if str(folder) == "." and not incomplete.startswith("./"):
        folder = Path("runs")
    try:
        found = [path for path in folder.iterdir() if (path / "MANIFEST.json").is_file()]
    except OSError:
        return []
    names = sorted(str(path) for path in found)
    return [name for name in names if name.startswith(incomplete) or not incomplete]
