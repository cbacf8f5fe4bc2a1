"""Files beside the spec that are called like modules: no process of a run ever imports one."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from hostile.command import environment, spec_text

from evalreport.processes import child_environment, safe_path

pytestmark = pytest.mark.long_but_first


#: What the interpreter and every library of the product is made of.
NAMES = sorted(
    (set(sys.stdlib_module_names) - set(sys.builtin_module_names))
    | {
        "sitecustomize", "usercustomize", "numpy", "pandas", "scipy", "sklearn", "joblib",
        "skops", "onnxruntime", "matplotlib", "weasyprint", "jinja2", "markupsafe", "click",
        "rich", "yaml", "pydantic", "duckdb", "sqlglot", "fontTools", "PIL", "pydyf", "cffi",
        "tinycss2", "tinyhtml5", "cssselect2", "dateutil", "threadpoolctl", "cloudpickle",
        "psutil", "coverage", "brotli", "zopfli", "six", "pytz", "cycler", "kiwisolver",
    }
)  # fmt: skip
ROWS = "x,y,p\n" + "".join(f"{n % 7},{'ab'[n % 3 % 2]},{'ab'[n % 5 % 2]}\n" for n in range(60))
#: Bagging fits its trees in a pool of processes, as folds are where they take long.
TRAINED = """\
{estimator: sklearn.ensemble.BaggingClassifier, features: [x],
 params: {n_estimators: 4, n_jobs: 2, random_state: 0}}"""


@pytest.fixture
def planted(tmp_path: Path) -> Path:
    """A folder with the file of every module, each of which tells that it ran."""
    folder = tmp_path / "beside"
    folder.mkdir()
    told = tmp_path / "ran"
    for name in NAMES:
        code = f"f = open({str(told)!r}, 'a'); f.write({name!r} + chr(10)); f.close()\n"
        (folder / f"{name}.py").write_text(code)
    (folder / "a.csv").write_text(ROWS)
    (folder / "mine").mkdir()
    (folder / "mine" / "report.html.j2").write_text("<p>{{ report.title }}")
    return folder


def ran(folder: Path) -> list[str]:
    """The planted files that ran."""
    told = folder.parent / "ran"
    return told.read_text().split() if told.exists() else []


WAYS = {
    "command": [str(Path(sys.executable).with_name("evalreport"))],
    "module": [sys.executable, "-m", "evalreport"],
    "module in one word": [sys.executable, "-Wdefault", "-mevalreport"],
    "module and -P": [sys.executable, "-P", "-m", "evalreport"],
}


#: What Python itself imports for -m before it looks for the program; only -P is in time for it.
BEFORE = ("importlib", "warnings", "contextlib", "collections", "keyword", "operator", "reprlib",
          "functools", "types")  # fmt: skip


#: By these a process that a counted test starts is counted, too.
COUNTING = ("COVERAGE_PROCESS_START", "COVERAGE_PROCESS_CONFIG")


def called(way: Sequence[str], folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    if way in (WAYS["module"], WAYS["module in one word"]):
        for name in BEFORE:
            (folder / f"{name}.py").unlink(missing_ok=True)
    return subprocess.run(
        [*way, *words], cwd=folder, env=environment(PYTHONPATH=None, PYTHONSAFEPATH=None),
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip


def test_the_planted_files_would_run(planted: Path) -> None:
    """What Python does by itself, without which the tests below would show nothing."""
    # where lines are counted, what counts them has imported some of these before
    plain = dict.fromkeys(("PYTHONPATH", "PYTHONSAFEPATH", *COUNTING))
    subprocess.run(
        [sys.executable, "-c", "import base64, numpy"],
        cwd=planted,
        env=environment(**plain),
        capture_output=True,
        check=False,
        timeout=120,
    )
    assert ran(planted) == ["base64", "numpy"]


@pytest.mark.long
@pytest.mark.nightly_but_first
@pytest.mark.parametrize("way", ["command", "module"])
def test_two_specs_side_by_side_with_template_and_paper(planted: Path, way: str) -> None:
    """The command, its two processes, the process of the template and that of the PDF."""
    for name in ("one", "two"):
        more = "report: {template: mine, formats: [html, pdf]}"
        (planted / f"{name}.yaml").write_text(spec_text(title=name, more=more))
    done = called(WAYS[way], planted, "run", "one.yaml", "two.yaml", "--jobs", "2", "--quiet")
    assert done.returncode == 0, done.stderr
    assert ran(planted) == []
    printed = list(planted.glob("runs/*/report.pdf"))
    assert len([path for path in printed if not path.parent.is_symlink()]) == 2
    links = {path.parent.name for path in printed if path.parent.is_symlink()}
    assert links == {"latest", "latest-one", "latest-two"}


@pytest.mark.long
def test_training_in_several_processes(planted: Path) -> None:
    more = "cross_validation: {scheme: k_fold, folds: 2, seed: 1}"
    (planted / "spec.yaml").write_text(spec_text(model=TRAINED, more=more))
    done = called(WAYS["module"], planted, "run", "spec.yaml", "--formats", "json", "--quiet")
    assert done.returncode == 0, done.stderr
    assert ran(planted) == []


@pytest.mark.long
def test_a_saved_model(planted: Path) -> None:
    import skops.io
    from sklearn.linear_model import LogisticRegression

    fitted = LogisticRegression().fit([[0.0], [1.0]], ["a", "b"])
    (planted / "m.skops").write_bytes(skops.io.dumps(fitted))
    (planted / "spec.yaml").write_text(spec_text(model="{skops: m.skops, features: [x]}"))
    done = called(WAYS["module"], planted, "run", "spec.yaml", "--formats", "json", "--quiet")
    assert done.returncode == 0, done.stderr
    assert ran(planted) == []


@pytest.mark.parametrize(
    ("way", "command"),
    [("module", "check"), ("module", "plan"), ("module", "render"),
     *((way, "--version") for way in sorted(WAYS))],
)  # fmt: skip
def test_commands_that_only_answer(planted: Path, way: str, command: str) -> None:
    (planted / "spec.yaml").write_text(spec_text())
    (planted / "results.json").write_text("{}")
    words = {"check": ["spec.yaml"], "plan": ["spec.yaml"], "render": ["results.json"]}
    done = called(WAYS[way], planted, command, *words.get(command, []))
    assert done.returncode == (4 if command == "render" else 0), done.stderr
    assert ran(planted) == []


def test_what_is_handed_on_of_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``PYTHONPATH=:/opt/x``, as careless scripts write it, does not name the current folder."""
    here, named, site = str(tmp_path), str(tmp_path / "named"), str(tmp_path / "site")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", here, "relative", named, site])
    monkeypatch.setenv("PYTHONPATH", os.pathsep + named)
    assert safe_path() == [named, site]
    found = child_environment({"A": "1"}, {"B": "2"})
    assert found["PYTHONPATH"] == named + os.pathsep + site
    assert (found["PYTHONSAFEPATH"], found["A"], found["B"]) == ("1", "1", "2")
    # Who names the folder means it.
    monkeypatch.setenv("PYTHONPATH", here)
    assert safe_path() == [here, named, site]


def test_a_folder_that_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    monkeypatch.setattr(sys, "path", ["", "/opt/site"])
    assert safe_path() == ["/opt/site"]


@pytest.mark.long
def test_a_program_that_uses_the_package_keeps_its_path(planted: Path) -> None:
    """A script beside the spec imports from there, as scripts do; the processes started do not."""
    for name in NAMES:
        (planted / "mine" / f"{name}.py").write_bytes((planted / f"{name}.py").read_bytes())
        (planted / f"{name}.py").unlink()
    more = "cross_validation: {scheme: k_fold, folds: 2, seed: 1}"
    (planted / "spec.yaml").write_text(spec_text(model=TRAINED, more=more))
    alone = TRAINED.replace("n_jobs: 2", "n_jobs: 1")
    (planted / "plain.yaml").write_text(spec_text(model=alone, more=more))
    (planted / "program.py").write_text(
        "import os, sys\nimport evalreport\nbefore = list(sys.path)\n"
        # The program's own imports come first: it is not for us to keep it from its folder.
        "if __name__ == '__main__':\n"
        "    evalreport.run('plain.yaml')\n"
        f"    for name in {NAMES!r}:\n        os.rename(f'mine/{{name}}.py', f'{{name}}.py')\n"
        "    evalreport.run('spec.yaml')\n"
        "    assert sys.path == before and 'PYTHONSAFEPATH' not in os.environ\n"
    )
    done = called([sys.executable], planted, "program.py")
    assert done.returncode == 0, done.stderr
    assert ran(planted) == []


@pytest.mark.long
def test_a_matplotlibrc_beside_the_spec_is_not_read(planted: Path) -> None:
    for name in NAMES:
        (planted / f"{name}.py").unlink()
    os.mkfifo(planted / "matplotlibrc")  # whoever opened it would wait for ever
    (planted / "spec.yaml").write_text(spec_text(path="b.csv", model="{score: s}"))
    (planted / "b.csv").write_text("y,s\n" + "".join(f"{n % 2},{n / 50}\n" for n in range(50)))
    done = called(WAYS["module"], planted, "run", "spec.yaml", "--formats", "html", "--quiet")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
