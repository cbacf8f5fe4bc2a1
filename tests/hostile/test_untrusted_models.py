"""A spec with a saved model of a stranger, as the command meets them: nothing it holds runs."""

from __future__ import annotations

import _posixsubprocess
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
import skops.io
from hostile.command import Workshop, command
from sklearn.dummy import DummyClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeClassifier

from evalreport.publish.installed import Extra

pytestmark = pytest.mark.requirement("R11")

ROWS = "x,y\n" + "1,a\n2,b\n" * 10
MARK = Path("/tmp/EVALREPORT_PWNED_trust")  # noqa: S108 - what the payload writes
TREE = "sklearn.tree._tree.Tree"


def shell() -> bytes:
    """A model that starts a shell when it is applied, without an event that Python announces."""
    words = [b"/bin/sh", b"-c", f"touch {MARK}".encode()]
    start = partial(_posixsubprocess.fork_exec, words, [words[0]], True, (), None, None)
    steps = make_pipeline(FunctionTransformer(func=start), DummyClassifier())
    steps[-1].fit([[0.0], [1.0]], ["a", "b"])
    return bytes(skops.io.dumps(steps))


@pytest.fixture(scope="module")
def tree() -> bytes:
    fitted = DecisionTreeClassifier().fit([[1.0], [2.0]], ["a", "b"])
    return bytes(skops.io.dumps(fitted))


def prepared(workshop: Workshop, model: bytes, trusted: str = "") -> Workshop:
    workshop.file("f.csv", ROWS)
    workshop.file("m.skops", model)
    asked = f", trusted: [{trusted}]" if trusted else ""
    workshop.spec(path="f.csv", model=f"{{skops: m.skops, features: [x]{asked}}}")
    return workshop


@pytest.mark.long
def test_a_spec_cannot_trust(workshop: Workshop) -> None:
    names = "_posixsubprocess.fork_exec, functools.partial"
    found = prepared(workshop, shell(), names).refused(3, "_posixsubprocess.fork_exec")
    assert "cannot be trusted" in found.err
    check = workshop.call("check", workshop.folder / "spec.yaml")
    assert check.status == 3
    assert "_posixsubprocess.fork_exec" in check.err
    assert not MARK.exists()


def test_nor_can_the_operator_trust_python_itself(workshop: Workshop) -> None:
    prepared(workshop, shell(), "_posixsubprocess.fork_exec")
    for word in ("_posixsubprocess.fork_exec", "_posixsubprocess", "functools.partial"):
        found = workshop.run("--trust", word)
        assert found.status == 2
        assert "never trusted" in found.err
    assert not MARK.exists()


@pytest.mark.long
def test_the_word_is_asked_for_and_given(workshop: Workshop, tree: bytes) -> None:
    """Refused with what to give; with it, checked, run, and the type named in the results."""
    prepared(workshop, tree, TREE)
    refused = workshop.refused(3, f"--trust {TREE}", "only asks for it")
    asked = workshop.call("check", workshop.folder / "spec.yaml")
    assert asked.status == 3
    assert asked.err == refused.err
    done = workshop.done("--trust", TREE)
    assert done.measure("accuracy")["value"] == 1.0
    assert any(TREE in note["message"] for note in done.results["cautions"])
    workshop.spec(path="f.csv", model="{skops: m.skops, features: [x]}")
    assert workshop.call("check", workshop.folder / "spec.yaml", "--trust", TREE).status == 0


@pytest.mark.long
def test_a_file_of_the_site_and_the_python_interface(
    workshop: Workshop, tree: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    import evalreport

    prepared(workshop, tree)
    site = workshop.file("site.txt", f"# fitted trees\n{TREE}\n")
    with pytest.raises(evalreport.DataError, match=f"--trust {TREE}"):
        evalreport.run(workshop.folder / "spec.yaml")
    assert evalreport.run(workshop.folder / "spec.yaml", trust=[TREE]).accepted
    monkeypatch.setenv("EVALREPORT_TRUST", str(site))
    assert workshop.call("check", workshop.folder / "spec.yaml").status == 0


@pytest.mark.nightly
def test_verify_asks_again(workshop: Workshop, tree: bytes) -> None:
    """That a run names a type does not make it trusted."""
    prepared(workshop, tree)
    done = workshop.done("--trust", TREE)
    again = ("verify", done.latest, "--rerun", "--spec", workshop.folder / "spec.yaml")
    assert workshop.call(*again).status == 3
    assert workshop.call(*again, "--trust", TREE).status == 0


def test_what_the_child_cannot_do() -> None:
    """Behind the names: the quiet way to a new process is closed in the child."""
    code = (
        "from evalreport.predict import saved_process as s; s._watch()\n"
        "import _posixsubprocess\n"
        "try:\n    _posixsubprocess.fork_exec()\n"
        "except PermissionError as e:\n    print(e)"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout == "the model tried to start a program\n"


@pytest.mark.nightly
def test_the_command_in_a_process_of_its_own(workshop: Workshop, tree: bytes) -> None:
    prepared(workshop, tree)
    done = command("check", "spec.yaml", cwd=workshop.folder)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith("m.skops: the file has types that are not trusted: ")
    assert done.stderr.count("\n") == 1


def test_an_onnx_model_reads_no_file_that_nobody_declared(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tensor that lies in `secret.txt`, by hand: refused before anything is computed."""
    monkeypatch.setattr("evalreport.publish.installed._ONNX", Extra("onnx", (), ""))
    from predict.test_onnx_parts import PLACES, TENSOR, at

    workshop.file("f.csv", ROWS)
    workshop.file("secret.txt", "SECRET")
    workshop.file("m.onnx", at(PLACES["initializer"], TENSOR))
    workshop.spec(path="f.csv", model="{onnx: m.onnx, features: [x]}")
    workshop.refused(3, "m.onnx: the model keeps tensors in other files", "'w'")
    check = workshop.call("check", workshop.folder / "spec.yaml")
    assert check.status == 3
    assert "'w'" in check.err
