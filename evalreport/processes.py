"""How this process and its children find modules: never in the folder they were started in.

Python puts the current folder first on its path for ``python -m``, ``-c`` and for most
processes that libraries start. A ``base64.py`` beside a spec would then run. What is kept
is what was installed and what the operator named in PYTHONPATH.

Only modules that are part of the interpreter itself are imported here at the top: this
runs before the path is clean.
"""

import os
import sys

#: The setting that keeps the current folder out of every Python process started after it.
SAFE_PATH = "PYTHONSAFEPATH"

_HOME = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120


def leave_start_folder() -> None:
    """For ``python -m evalreport``: take the current folder from the path.

    It changes nothing in another program that imports the package.
    """
    # This is what Python calls a program while it still looks for its module.
    if sys.argv[:1] == ["-m"] and any(map(_names_this, sys.orig_argv)):
        sys.path[:] = safe_path()


def _names_this(word: str) -> bool:
    return word == "evalreport" or (word.startswith("-") and word.endswith("mevalreport"))


def safe_path() -> list[str]:
    """The path without the current folder and without the folder of the program's script.

    A folder stays where the operator named it in PYTHONPATH, and where this package itself
    was found. An empty place in PYTHONPATH names nothing.
    """
    named = {_real(p) for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p}
    unsafe = _start_folders() - named - {_real(_HOME)}
    return [p for p in sys.path if os.path.isabs(p) and _real(p) not in unsafe]  # noqa: PTH117


def _start_folders() -> set[str]:
    found = {_real("")}
    # Python puts the folder of a script first; that of a module run by -m it leaves in its place.
    script = getattr(sys.modules.get("__main__"), "__file__", None)
    folder = _real(os.path.dirname(script)) if script else None  # noqa: PTH120
    if folder and sys.path and _real(sys.path[0]) == folder:
        found.add(folder)
    return found


def _real(path: str) -> str:
    try:
        return os.path.realpath(path)
    except OSError:  # the current folder is gone
        return path


def keep_children_safe() -> None:
    """From now on no Python process that this one starts imports from the current folder.

    For the command, whose process is its own: it also cleans the path that libraries hand
    on to the processes of a pool.
    """
    sys.path[:] = safe_path()
    os.environ[SAFE_PATH] = "1"


class SafeChildren:
    """While open, what :func:`keep_children_safe` does; for a program that goes on afterwards.

    With ``keep_path`` the program's own path stays, and workers of a pool are given it.
    """

    def __init__(self, *, keep_path: bool = False) -> None:
        self._keep_path = keep_path

    def __enter__(self) -> None:
        self._path, self._setting = list(sys.path), os.environ.get(SAFE_PATH)
        keep_children_safe()
        if self._keep_path:
            sys.path[:] = self._path

    def __exit__(self, *_: object) -> None:
        sys.path[:] = self._path
        if self._setting is None:
            os.environ.pop(SAFE_PATH, None)
        else:
            os.environ[SAFE_PATH] = self._setting


def python(module: str, *arguments: str) -> list[str]:
    """The command line of a child that runs a module of this package."""
    return [sys.executable, "-P", "-m", module, *arguments]


def child_environment(inherited: dict[str, str], own: dict[str, str]) -> dict[str, str]:
    """The environment of a child: what it inherits, a safe path, and settings of its own."""
    path = {"PYTHONPATH": os.pathsep.join(safe_path()), SAFE_PATH: "1", "PYTHONHASHSEED": "0"}
    return {**inherited, **path, **own}
