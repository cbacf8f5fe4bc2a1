"""What outputs never hold, what a run never opens, and what the package never does."""

from __future__ import annotations

import ast
import getpass
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.requirement("R18")

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "evalreport"
AT = "2026-11-21T12:00:00Z"


def all_bytes(run: Path) -> bytes:
    """Every file of a run, streams of the PDF unpacked too."""
    parts = []
    for path in sorted(run.iterdir()):
        data = path.read_bytes()
        parts.append(data)
        for stream in re.findall(rb"stream\r?\n(.*?)endstream", data, flags=re.DOTALL):
            try:
                parts.append(zlib.decompress(stream))
            except zlib.error:
                continue
    return b"\n".join(parts)


@pytest.mark.long
def test_no_value_of_the_environment_is_in_any_output(tmp_path: Path) -> None:
    """Canaries in the environment, the folder's name, the user's name and the host's."""
    folder = tmp_path / "canary-folder-7361"
    folder.mkdir()
    (folder / "a.csv").write_text("y,s\n" + "1,0.9\n0,0.2\n1,0.4\n0,0.6\n" * 5)
    (folder / "spec.yaml").write_text(
        "evalreport: 1\ntitle: ${HOME} $CANARY %(CANARY)s ~\ndatasets:\n"
        f"  d: {{path: {folder}/a.csv, target: y}}\nmodels:\n  m: {{score: s}}\n"
        "metrics: [accuracy, roc_auc]\n"
    )
    canaries = {
        name: f"canary-{name.lower()}-{number}"
        for number, name in enumerate(
            ("CANARY", "USER", "LOGNAME", "HOSTNAME", "SECRET_TOKEN", "EMAIL", "COMPUTERNAME",
             "AWS_SECRET_ACCESS_KEY", "VIRTUAL_ENV", "SSH_CONNECTION"), 4000
        )
    }  # fmt: skip
    home = tmp_path / "canary-home-1234"
    home.mkdir()
    done = subprocess.run(
        [sys.executable, "-m", "evalreport", "run", "spec.yaml", "-o", str(folder / "runs"),
         "--formats", "html,pdf,csv,markdown,junit", "--quiet", "--at", AT],
        cwd=folder, capture_output=True, text=True, check=False,
        env={**os.environ, **canaries, "HOME": str(home), "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    content = all_bytes(folder / "runs" / "latest")
    found = [value for value in canaries.values() if value.encode() in content]
    assert found == []
    assert b"canary-home" not in content
    host, user = socket.gethostname(), getpass.getuser()
    for name in (host, user):
        # "vm" or "root" stands in many words; then the canaries above have to do.
        if len(name) > 4:
            assert name.encode() not in content
    for place in (str(tmp_path), str(ROOT), sys.prefix, sys.base_prefix):
        # The spec's own text names the data by an absolute path: that stays as written.
        spec = (folder / "spec.yaml").read_bytes()
        allowed = content.count(f"{folder}/a.csv".encode()) if place == str(tmp_path) else 0
        assert content.count(place.encode()) <= allowed, place
        assert spec
    results = json.loads((folder / "runs" / "latest" / "results.json").read_text())
    results["provenance"]["spec"].pop("text", None)
    results.pop("spec", None)
    assert str(tmp_path) not in json.dumps(results)
    for name in ("MANIFEST.json", "measures.csv"):
        assert str(tmp_path) not in (folder / "runs" / "latest" / name).read_text()
    assert str(tmp_path) not in (folder / "runs" / "history.jsonl").read_text()


AUDITED = """
import json, os, sys
events = []
def hook(event, args):
    if event == "open":
        events.append([event, str(args[0]), str(args[1]), args[2]])
    elif event.split(".")[0] in ("socket", "subprocess", "ftplib", "urllib", "http", "smtplib") or (
        event in ("os.system", "os.exec", "os.posix_spawn", "os.fork", "os.remove", "os.rename",
                  "os.mkdir", "os.rmdir", "os.symlink", "os.link", "os.truncate", "os.chmod",
                  "shutil.rmtree", "pty.spawn", "exec", "compile") and event not in ("exec", "compile")
    ):
        events.append([event, *[repr(a)[:300] for a in args]])
sys.addaudithook(hook)
from evalreport.cli import status_of
status = status_of(sys.argv[2:])
sys.stdout.flush()
with os.fdopen(int(sys.argv[1]), "w") as out:
    json.dump([status, events], out)
"""


def _in_scratch(event: str, rest: list[Any], scratch: Path) -> bool:
    """Whether an event is about the temporary folder of the process that makes the PDF.

    Below it, names are relative to a folder that is open.
    """
    if event.startswith("os.") or event == "open":
        name = str(rest[0]).strip("'")
        below = "/" not in name and (name.startswith("weasyprint-") or len(name) == 32)
        if event == "open":
            below &= not rest[-1] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        else:
            below &= str(rest[-1]) not in ("-1", "0")
        return name.startswith(f"{scratch}/") or below
    return False


@pytest.mark.long
def test_a_run_opens_what_it_was_given_and_nothing_else(tmp_path: Path) -> None:
    """Every open, process, connection and change of a file, as the interpreter sees them."""
    folder = tmp_path / "work"
    shutil.copytree(ROOT / "sample_data", folder / "sample_data")
    shutil.copytree(ROOT / "configs", folder / "configs")
    (folder / "configs" / "secret.csv").write_text("y,p\n1,1\n")
    # A new cache of matplotlib lists the fonts of the system once, with fc-list.
    surroundings = {**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(tmp_path)}
    subprocess.run(
        [sys.executable, "-c", "import matplotlib.font_manager"], env=surroundings, check=True
    )
    reader, writer = os.pipe()
    runs = folder / "runs"
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    surroundings["TMPDIR"] = str(scratch)
    with subprocess.Popen(
        [sys.executable, "-c", AUDITED, str(writer), "run", "configs/breast_cancer.yaml", "-o",
         str(runs), "--quiet", "--at", AT, "--set", "confidence.resamples=50"],
        cwd=folder, pass_fds=[writer], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, env=surroundings,
    ) as process:  # fmt: skip
        os.close(writer)
        with os.fdopen(reader) as told:
            status, events = json.load(told)
        _, err = process.communicate()
    assert status in (0, 1), err
    own = (str(ROOT / "templates"), str(PACKAGE), sys.prefix, sys.base_prefix, "/usr/lib", "/lib",
           str(Path(pytest.__file__).parents[1]),
           "/etc/ld.so", "/usr/share/zoneinfo", "/proc/self", "/proc/cpuinfo", "/proc/meminfo",
           "/sys/", "/dev/urandom", "/usr/bin")  # fmt: skip
    declared = (str(folder / "sample_data" / "breast_cancer.csv"), "configs/breast_cancer.yaml",
                str(folder / "configs" / "breast_cancer.yaml"))  # fmt: skip
    strange = []
    for event, *rest in events:
        if _in_scratch(event, rest, scratch):
            continue
        if event == "open":
            path = rest[0]
            writes = rest[1] not in ("None", "r", "rb") or (
                isinstance(rest[2], int) and rest[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
            )
            if path.startswith((str(runs), "b'")) or path.isdigit() or path == "/dev/null":
                continue
            cache = path.startswith(str(tmp_path)) and ("matplotlib" in path or "/." in path)
            temporary = re.search(r"/(evalreport|matplotlib|tmp)[-\w]*", path) and writes
            if (path.startswith(own) or path in declared) and not writes:
                continue
            if cache or temporary or path.endswith(".pyc") or "__pycache__" in path:
                continue
            if path.startswith(str(ROOT)) and path.endswith((".py", ".pyc")):
                continue
            strange.append([event, *rest])
        elif event.startswith("socket."):
            # Python makes a socket pair or asks for a name of this host in no import of ours.
            strange.append([event, *rest])
        elif event in ("subprocess.Popen", "os.posix_spawn"):
            if "evalreport." not in str(rest):
                strange.append([event, *rest])
        elif event.startswith("os.") and not any(str(runs) in str(part) for part in rest):
            text = str(rest)
            # The library's own cache in the user's home, and its probes of temporary folders.
            library = any(
                word in text for word in ("matplotlib", "/.config'", "/.cache'", "/tmp/tmp")
            )
            # a link is tried, and removed, in the folder in which RUNS is to be made
            tried = any(word in text for word in (".tmp-", "/work/.latest-"))
            if not library and "evalreport" not in text and not tried:
                strange.append([event, *rest])
    assert strange == [], json.dumps(strange, indent=0)
    assert list(scratch.iterdir()) == []
    assert not any("secret.csv" in str(event) for event in events)


# -- the package itself -----------------------------------------------------------------------

FORBIDDEN_IMPORTS = {
    "pickle", "cPickle", "_pickle", "dill", "cloudpickle", "joblib", "marshal", "shelve",
    "socket", "http", "urllib.request", "ftplib", "smtplib", "requests", "telnetlib", "ssl",
    "xmlrpc", "asyncio", "ctypes", "pty", "code", "codeop", "runpy", "imp",
}  # fmt: skip
#: Folds may be fitted by several workers.
#: Of ctypes the loader alone: whether Pango is there, and no search for it.
# Time stamps are asked for at the address that the operator names on the command line, and
# nowhere else; pyHanko checks them by coroutines only.
ALLOWED_IMPORTS = {
    ("cross_validation.py", "joblib"), ("paper.py", "ctypes"),
    ("stamp.py", "urllib"), ("stamp.py", "asyncio"),
    # `qualify` holds the compiled files of the installation against their sources, and asks the
    # Pango that is loaded anyway for its version.
    ("installation.py", "marshal"), ("installation.py", "ctypes"),
    # fontconfig, which Pango loads anyway, is asked which letters the system's fonts have.
    ("system_fonts.py", "ctypes"),
}  # fmt: skip
#: The same comparison compiles the sources; nothing of it is run.
ALLOWED_CALLS = {("installation.py", "compile")}
FORBIDDEN_CALLS = {"eval", "exec", "compile", "__import__", "input", "breakpoint"}
FORBIDDEN_METHODS = {
    ("os", "system"), ("os", "popen"), ("os", "execv"), ("os", "execve"), ("os", "spawnv"),
    ("subprocess", "getoutput"), ("subprocess", "call"), ("os", "startfile"), ("yaml", "load"),
    ("yaml", "unsafe_load"), ("yaml", "full_load"), ("np", "fromstring"), ("pd", "read_pickle"),
    ("pd", "eval"), ("pd", "read_sql"), ("pd", "read_html"), ("time", "time"),
    ("datetime", "today"), ("random", "random"), ("os", "getlogin"), ("platform", "node"),
    ("socket", "gethostname"), ("getpass", "getuser"), ("tempfile", "mktemp"),
}  # fmt: skip
#: Methods that take text and run it, whatever they belong to.
RUNNING_METHODS = {"query", "to_pickle", "read_pickle", "from_string", "popen", "executescript"}
SOURCES = sorted(path for path in PACKAGE.rglob("*.py") if "_data" not in path.parts)


def problems(path: Path) -> list[str]:
    found = []
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        line = getattr(node, "lineno", 0)
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or "", *(f"{node.module}.{a.name}" for a in node.names)]
        for name in names:
            known = name in FORBIDDEN_IMPORTS or name.split(".")[0] in FORBIDDEN_IMPORTS
            if known and (path.name, name.split(".")[0]) not in ALLOWED_IMPORTS:
                found.append(f"{path.name}:{line} imports {name}")
        if isinstance(node, ast.Call):
            called = node.func
            forbidden = isinstance(called, ast.Name) and called.id in FORBIDDEN_CALLS
            if forbidden and (path.name, called.id) not in ALLOWED_CALLS:
                found.append(f"{path.name}:{line} calls {called.id}")
            if isinstance(called, ast.Attribute):
                owner = called.value.id if isinstance(called.value, ast.Name) else ""
                if (owner, called.attr) in FORBIDDEN_METHODS or called.attr in RUNNING_METHODS:
                    found.append(f"{path.name}:{line} calls {owner}.{called.attr}")
            for word in node.keywords:
                if word.arg == "shell" and not (
                    isinstance(word.value, ast.Constant) and word.value.value is False
                ):
                    found.append(f"{path.name}:{line} starts a shell")
                if word.arg == "allow_pickle" and not (
                    isinstance(word.value, ast.Constant) and word.value.value is False
                ):
                    found.append(f"{path.name}:{line} allows pickles")
    return found


@pytest.mark.long
def test_the_package_has_no_pickle_eval_query_shell_or_network() -> None:
    assert len(SOURCES) > 100
    assert [p for path in SOURCES for p in problems(path)] == []


@pytest.mark.parametrize(
    "code",
    ["import pickle", "from urllib import request", "eval('1')", "frame.query('x')",
     "subprocess.run('x', shell=True)", "np.load(f, allow_pickle=True)", "os.system('x')",
     "import http.client", "from os import path\nexec('x')"],
)  # fmt: skip
def test_the_rule_finds_what_it_forbids(tmp_path: Path, code: str) -> None:
    path = tmp_path / "x.py"
    path.write_text(code)
    assert problems(path)


def test_processes_are_started_in_few_places() -> None:
    """Children with limits, of rendering and of saved models; one process per spec of many.

    And the command itself, which `qualify` tries on cases of its own.
    """
    starting = {
        path.relative_to(PACKAGE).as_posix()
        for path in SOURCES
        if re.search(r"^\s*(import|from) (subprocess|multiprocessing)", path.read_text(), re.M)
    }
    assert starting <= {
        "render/limited.py",
        "predict/saved.py",
        "cli/many_specs.py",
        "qualify/commands.py",
    }


def test_the_environment_is_read_in_few_places() -> None:
    """The clock, the path and the children, trust, limits of queries and Postgres, and the
    developer's switch for tracebacks."""
    reading = {
        path.relative_to(PACKAGE).as_posix()
        for path in SOURCES
        if re.search(r"os\.(environ|getenv)|expandvars|expanduser", path.read_text())
    }
    allowed = {
        "api.py",
        "api/running.py",
        "cli/__init__.py",
        "cli/designing.py",
        "cli/many_specs.py",
        "cli/running.py",
        "cli/qualifying.py",
        "cli/sealing.py",
        "cli/options.py",
        "cli/evidence.py",
        "data/store_clients.py",
        "data/stores.py",
        "engine/databases/sessions.py",
        "predict/saved.py",
        "processes.py",
        "qualify/commands.py",
        "render/limited.py",
    }
    assert reading - allowed == set()
