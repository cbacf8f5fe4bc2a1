"""What the operator trusts in saved models: names, packages, files of the site."""

from __future__ import annotations

import io
import json
import sys
import zipfile
from pathlib import Path

import pytest

from evalreport.errors import FilesError, UsageError
from evalreport.predict.saved_process import Refused, _granted_types
from evalreport.predict.trust import VARIABLE, grant_of, granted, outside, refusal, standard

#: Each of them starts a program, runs code or reaches for what does.
GADGETS = [
    "_posixsubprocess.fork_exec", "posix.system", "os.system", "nt.system", "os.execv",
    "subprocess.Popen", "subprocess.getoutput", "builtins.eval", "builtins.exec",
    "builtins.getattr", "builtins.__import__", "builtins.open", "builtins.map",
    "operator.methodcaller", "operator.attrgetter", "functools.partial", "functools.reduce",
    "runpy.run_path", "importlib.import_module", "code.interact", "codeop.compile_command",
    "pdb.run", "profile.run", "cProfile.run", "timeit.timeit", "trace.Trace", "doctest.testfile",
    "webbrowser.open", "imaplib.IMAP4_stream", "ctypes.CDLL", "_ctypes.dlopen", "pty.spawn",
    "platform.popen", "pydoc.pipepager", "multiprocessing.Process", "asyncio.run",
    "pickle.loads", "_pickle.loads", "marshal.loads", "types.FunctionType", "types.CodeType",
    "shutil.rmtree", "socket.socket", "socket.create_connection", "urllib.request.urlopen",
    "sqlite3.connect", "tempfile.mkdtemp", "logging.config.dictConfig", "threading.Thread",
    "signal.signal", "resource.setrlimit", "gc.get_objects", "sys.settrace", "venv.create",
    "__main__.main",
]  # fmt: skip


def archive(
    name: str, loader: str = "FunctionNode", more: dict[str, object] | None = None
) -> bytes:
    """A skops archive by hand, whose one part names something."""
    module, _, last = name.rpartition(".")
    part = {"__class__": last, "__module__": module, "__loader__": loader, "__id__": 1,
            "content": None, "protocol": 2, "_skops_version": "0.16.0"} | (more or {})  # fmt: skip
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        file.writestr("schema.json", json.dumps(part))
    return out.getvalue()


@pytest.mark.parametrize("name", GADGETS)
def test_nothing_of_python_itself_can_be_granted(name: str) -> None:
    assert standard(name)
    for word in (name, name.partition(".")[0]):
        with pytest.raises(UsageError, match="never trusted"):
            granted([word], {})
    # Even if a grant came in another way, the process that loads the model refuses it.
    for grant in (name, name.partition(".")[0]):
        with pytest.raises(Refused, match=name.replace(".", r"\.")) as caught:
            _granted_types(archive(name), {"trusted": [grant], "asked": [name]})
        assert "cannot be trusted" in caught.value.answer["instead"]


def test_every_module_of_python_is_meant() -> None:
    assert all(standard(f"{name}.anything") for name in sys.stdlib_module_names)


def test_a_package_grants_its_own_classes_and_nothing_else() -> None:
    told = {"trusted": ["joblib", "pandas"], "asked": []}
    assert _granted_types(archive("joblib.parallel.Parallel", "ObjectNode"), told) == [
        "joblib.parallel.Parallel"
    ]
    for name in (
        "joblib.load",  # a function that reads pickles
        "pandas.eval",
        "pandas.read_pickle",
        "pandas.io.common.Path",  # a class of another home
        "joblib.memory.Memory.cache",  # a method
        "joblib.absent.Thing",
        "pandas.io.common.os",
    ):
        with pytest.raises(Refused, match="not trusted"):
            _granted_types(archive(name), told)


def test_a_full_name_grants_that_one_thing() -> None:
    told = {"trusted": ["pandas.core.arrays.integer.Int64Dtype"], "asked": []}
    name = "pandas.core.arrays.integer.Int64Dtype"
    assert _granted_types(archive(name, "ObjectNode"), told) == [name]
    with pytest.raises(Refused):
        _granted_types(archive(f"{name}.construct_from_string"), told)
    with pytest.raises(Refused):
        _granted_types(archive("pandas.core.arrays.integer.Int32Dtype"), told)


def test_a_part_counts_whatever_it_is_said_to_be() -> None:
    """What skops takes for a plain value is held against the list all the same."""
    hidden = archive("builtins.str", "JsonNode", {
        "content": "null", "is_json": True, "also": [
            {"__module__": "evil", "__class__": "Thing"}, {"module_path": "odd", "function": "f"}
        ]})  # fmt: skip
    assert outside(hidden) == {"evil.Thing", "odd.f"}
    with pytest.raises(Refused, match=r"evil\.Thing"):
        _granted_types(hidden, {"trusted": [], "asked": []})


def test_names_are_covered_part_by_part() -> None:
    assert grant_of("ab.c.D", ["ab.c"]) == "ab.c"
    assert grant_of("ab.c.D", ["a", "ab.c.E", "b"]) is None


def test_a_file_of_the_site(tmp_path: Path) -> None:
    site, other = tmp_path / "site.txt", tmp_path / "other.txt"
    site.write_text("# trees\nsklearn.tree._tree.Tree  # fitted trees\n\n")
    other.write_text("lightgbm\nsklearn.tree._tree.Tree\n")
    found = granted([f"@{other}", "xgboost"], {VARIABLE: str(site)})
    assert found == ("sklearn.tree._tree.Tree", "lightgbm", "xgboost")
    assert granted([], {VARIABLE: ""}) == ()


def test_mistakes_are_told_all_at_once_with_their_lines(tmp_path: Path) -> None:
    listed = tmp_path / "list.txt"
    listed.write_text("good.Thing\nno name\nos.system\n")
    with pytest.raises(UsageError) as caught:
        granted([f"@{listed}", "*"], {})
    no_name = "it is not a name; the full name of a type, as pkg.module.Type, or of a package"
    never = "what belongs to Python itself can act on the machine and is never trusted"
    assert [str(p).replace(f"{listed}:", "") for p in caught.value.problems] == [
        f"2: cannot trust 'no name': {no_name}",
        f"3: cannot trust os.system; {never}",
        f"cannot trust '*': {no_name}",
    ]
    with pytest.raises(FilesError, match="cannot be read"):
        granted([f"@{tmp_path / 'absent'}"], {})


def test_names_of_a_stranger_are_quoted() -> None:
    what, instead = refusal(["evil\n::error::x.y"], [])
    assert "\n" not in what + instead
    assert "cannot be trusted" in instead
