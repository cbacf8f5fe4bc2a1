"""Specs that are refused by the command: what is said, how fast, and that nothing happens."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from hostile.command import Workshop, command, environment, spec_text

pytestmark = [
    pytest.mark.long_but_first,
    pytest.mark.requirement("R10"),
    pytest.mark.requirement("R11"),
]

HEAD = 'evalreport: 1\ntitle: "t"\ndatasets:\n  d: {path: a.csv, target: y}\n' + (
    "models:\n  m: {prediction: p}\n"
)
DEEP_ALIASES = "".join(
    f"  - &x{n} [{','.join([f'*x{n - 1}'] * 9) if n else 'lol'}]\n" for n in range(10)
)
MERGES = "".join(
    f"x{n}: &m{n}\n" + "".join(f"  <<: *m{n - 1}\n" for _ in range(9)) + f"  k{n}: 1\n"
    for n in range(1, 8)
)

REFUSED: dict[str, tuple[str | bytes, tuple[str, ...]]] = {
    "alias bomb": (
        HEAD + "metrics: [accuracy]\nsubgroups:\n" + DEEP_ALIASES,
        ("spec.yaml:9:", "anchors are not allowed"),
    ),
    "merge bomb": (HEAD + "x0: &m0 {k0: 1}\n" + MERGES, ("spec.yaml:7:", "anchors are not allowed")),
    "200 KB of [": (HEAD + "metrics: " + "[" * 200_000, ("spec.yaml:7:", "nested deeper than 40")),
    "200 KB of {": (HEAD + "metrics: " + "{a: " * 50_000, ("nested deeper than 40",)),
    "200 KB of - ": (HEAD + "metrics:\n" + "- " * 100_000, ("spec.yaml",)),
    "duplicate key": (
        HEAD + "metrics: [accuracy]\nthresholds: [0.5]\nthresholds: [0.9]\n",
        ("written twice", "8 and 9"),
    ),
    "bare null as a label": (
        spec_text(dataset="labels: [null, cat]"), ("null", "quote"),
    ),
    "bare tilde as a label": (spec_text(dataset="labels: [~, cat]"), ("quote",)),
    "leading zeros": (spec_text(dataset="labels: [007, 7]"), ("007", "quote")),
    "underscored number": (spec_text(dataset="labels: [1_000, cat]"), ("1_000", "quote")),
    "sexagesimal number": (spec_text(dataset="labels: [1:30, cat]"), ("1:30", "quote")),
    "boolean tag": (HEAD + "metrics: [accuracy]\nthresholds: [!!bool zzz]\n",
                    ("spec.yaml:8:", "tags are not allowed")),
    "python tag": (
        HEAD + "metrics: !!python/object/apply:os.system ['touch /tmp/EVALREPORT_PWNED_a']\n",
        ("tags are not allowed",),
    ),
    "own tag": (HEAD + "metrics: [!x accuracy]\n", ("tags are not allowed",)),
    "5000 digits": (HEAD + f"metrics: [accuracy]\nconfidence: {{seed: {'9' * 5000}}}\n",
                    ("spec.yaml:8:", "out of range")),
    "5000 digits of a fraction": (
        HEAD + f"metrics: [accuracy]\nthresholds: [0.{'1' * 5000}e99999]\n", ("spec.yaml:8:",)),
    "infinite number": (HEAD + "metrics: [accuracy]\nthresholds: [1e400]\n", ("spec.yaml:8:",)),
    "not a number": (HEAD + "metrics: [accuracy]\nconfidence: {level: .nan}\n", ("spec.yaml:8:",)),
    "misspelt keys": (
        HEAD + "metrics: [accuracy]\ntreshold: [0.9]\nmetrics_: [roc_auc]\n",
        ("'treshold'; did you mean 'thresholds'?", "'metrics_'; did you mean 'metrics'?"),
    ),
    "misspelt metric": (HEAD + "metrics: [acuracy]\n", ("did you mean 'accuracy'?",)),
    "misspelt parameter": (HEAD + "metrics: [{fbeta: {bta: 2}}]\n", ("did you mean 'beta'?",)),
    "two documents": (HEAD + "metrics: [accuracy]\n---\nevalreport: 1\n", ("document",)),
    "empty": (b"", ("nothing in it",)),
    "spaces only": (b"\n\n   \n", ("nothing in it",)),
    "a comment only": (b"# a spec\n", ("nothing in it",)),
    "a list": (b"- 1\n- 2\n", ("a spec is a mapping",)),
    "a word": (b"hello\n", ("a spec is a mapping",)),
    "not UTF-8": (HEAD.encode() + b"about: {question: caf\xe9}\nmetrics: [accuracy]\n", ("0xe9",)),
    "UTF-16": ((HEAD + "metrics: [accuracy]\n").encode("utf-16"), ("UTF-",)),
    "NUL": (HEAD.encode() + b"metrics: [accuracy]\x00\n", ("U+0000",)),
    "bidi control": (spec_text(title='"a\u202eb"'), ("U+202E",)),
    "zero width": (spec_text(title='"a\u200bb"'), ("U+200B",)),
    "escape sequence": (spec_text(title='"a\\eb"'), ("U+001B",)),
    "suffix unknown": (spec_text("/etc/passwd"), ("unknown suffix",)),
    "web address": (spec_text("https://example.org/a.csv"), ("https://example.org/a.csv",)),
    "object store": (spec_text("s3://bucket/a.csv"), ("s3://bucket/a.csv",)),
    "file address": (spec_text("file:///a.csv"), ("file:///a.csv",)),
    "template with a path": (
        HEAD + "metrics: [accuracy]\nreport: {template: ../../../etc/passwd}\n",
        ("no such template: '../../../etc/passwd'",),
    ),
    "three at once": (
        "evalreport: 1\ntitle: t\ndatasets:\n  d: {path: /etc/passwd, target: y}\nmodels:\n"
        "  m: {prediction: p}\nmetrics: [accuracy]\n"
        'output: {dir: ../../../../tmp/EVALREPORT_PWNED_dir, name: "../x.html"}\n'
        "report: {formats: [html], template: ../../../../../../../../etc/passwd}\n",
        ("unknown suffix", "unknown key 'output'", "no such template"),
    ),
    "newer version": (
        spec_text().replace("evalreport: 1", "evalreport: 9"), ("9", "spec.yaml:1:")),
    "version of text": (spec_text().replace("evalreport: 1", "evalreport: one"), ("one",)),
    "no version": (spec_text().replace("evalreport: 1\n", ""), ("evalreport",)),
    "1.5 MiB": (spec_text() + "# " + "x" * (3 << 19), ("1,048,576",)),
    "100,000 keys": (
        spec_text() + "about: {" + ", ".join(f"k{n}: v" for n in range(60_000)) + "}\n",
        ("spec.yaml",)),
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_a_spec_is_refused(workshop: Workshop, name: str) -> None:
    text, words = REFUSED[name]
    workshop.spec(text)
    workshop.refused(2, *words)


@pytest.mark.long
@pytest.mark.parametrize("name", ["alias bomb", "merge bomb", "200 KB of [", "5000 digits"])
def test_a_bomb_is_refused_by_a_process_of_its_own_in_a_second(
    workshop: Workshop, name: str
) -> None:
    """A crash of the interpreter would show here; a second is for Python and the spec."""
    workshop.spec(REFUSED[name][0])
    for action in ("check", "run", "plan"):
        done = command(action, workshop.folder / "spec.yaml", cwd=workshop.folder)
        assert done.returncode == 2
        assert done.stdout == ""
        assert "Traceback" not in done.stderr


def test_every_mistake_at_once_with_its_place(workshop: Workshop) -> None:
    workshop.spec(
        "evalreport: 1\ntitle: [t]\ndatasets:\n  d: {path: a.csv, traget: y}\n"
        "models:\n  m: {predictoin: p}\nmetrics: [acuracy, {fbeta: {beta: x}}]\n"
        "treshold: [0.5]\n"
    )
    found = workshop.refused(2)
    lines = [line for line in found.err.splitlines() if "spec.yaml:" in line]
    told = [line.split("spec.yaml:")[1].split(":")[0] for line in lines]
    assert set(told) >= {"2", "4", "6", "7", "8"}
    assert told == sorted(told)


# -- 15: what a dataset path leads to, found before anything is opened -----------------------


def test_a_pipe_a_device_a_folder_or_nothing_is_no_data(workshop: Workshop, engine: str) -> None:
    os.mkfifo(workshop.folder / "pipe.csv")
    (workshop.folder / "folder.csv").mkdir()
    (workshop.folder / "loop.csv").symlink_to("loop.csv")
    (workshop.folder / "broken.csv").symlink_to("nowhere")
    (workshop.folder / "device.csv").symlink_to("/dev/zero")
    (workshop.folder / "tty.csv").symlink_to("/dev/stdin")
    words = {
        "pipe.csv": "named pipe", "folder.csv": "folder", "loop.csv": "circle",
        "broken.csv": "file not found", "device.csv": "device", "absent.csv": "file not found",
        "x" * 300 + ".csv": "File name too long", "a.csv/b.csv": "",
    }  # fmt: skip
    for path, word in words.items():
        workshop.spec(path=path)
        workshop.refused(4, path[:40], word, engine=engine)


def test_an_unreadable_file(workshop: Workshop, engine: str) -> None:
    """As root nothing is unreadable, so the process gives that up for the while."""
    workshop.spec()
    workshop.done(engine=engine)  # everything is imported now, whoever may read it
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o777)
        (folder / "a.csv").write_text("y,p\ncat,cat\n")
        (folder / "a.csv").chmod(0)
        (folder / "spec.yaml").write_text(spec_text())
        root = os.geteuid() == 0
        if root:
            os.seteuid(65534)
        try:
            found = workshop.call("run", folder / "spec.yaml", "-o", folder / "runs")
        finally:
            if root:
                os.seteuid(0)
        assert not (folder / "runs").exists()
    assert (found.status, "Permission denied" in found.err) == (4, True), found.err


def test_links_and_dots_lead_to_the_file_itself(workshop: Workshop, engine: str) -> None:
    workshop.file("data/real.csv", "y,p\nRIGHT,RIGHT\n")
    (workshop.folder / "link.csv").symlink_to("data/real.csv")
    for path in ("link.csv", "data/../link.csv", "./data/../data/real.csv"):
        workshop.spec(path=path, more="positive: {label: RIGHT}")
        found = workshop.done(engine=engine)
        assert found.measure("accuracy", average=None)["numerator"] == 1


@pytest.mark.parametrize(
    "name",
    [
        "data[1].csv",
        "data*.csv",
        "data?.csv",
        "{a,b}.csv",
        "-o.csv",
        "a b.csv",
        "~.csv",
        "$HOME.csv",
        "%(x)s.csv",
        "dätä.csv",
        "'.csv",
        '".csv',
        "a;b.csv",
        "`id`.csv",
        "a'); DROP TABLE x; --.csv",
    ],
)
def test_a_file_name_is_a_file_name(workshop: Workshop, engine: str, name: str) -> None:
    for other in ("data1.csv", "data2.csv", "a.csv", "b.csv"):
        workshop.file(other, "y,p\nWRONG,x\n")
    workshop.file(name, "y,p\nRIGHT,RIGHT\n")
    workshop.spec(path=name, more="positive: {label: RIGHT}")
    found = workshop.done(engine=engine)
    assert found.results["tables"][0]["labels"].count("RIGHT") == 1
    assert "WRONG" not in (found.latest / "results.json").read_text()
    assert found.results["rows"][0]["read"] == 1


# -- 17: estimators --------------------------------------------------------------------------

TRAINED = """\
evalreport: 1
title: t
datasets:
  d: {path: f.csv, target: y}
models:
  m: {estimator: ESTIMATOR, features: [x]}
metrics: [accuracy]
cross_validation: {scheme: k_fold, folds: 2, seed: 1}
"""


@pytest.mark.parametrize("name", [
    "os.system", "posix.system", "subprocess.Popen", "builtins.eval", "sklearn.os.system",
    "sklearn.svm.__class__", "sklearn.__loader__", "__import__('os').system",
    "sklearn.svm.SVC()", "'lambda: 1'", "sklearn.linear_model.LinearRegression",
    "sklearn.cluster.KMeans", "sklearn.svm", "evil.Classifier", "sklearn.svm.SVCC",
    "sklearn.dummy.DummyClassifier.__init__", "sklearn.base.clone", "joblib.load",
])  # fmt: skip
def test_what_is_no_classifier_is_not_imported(workshop: Workshop, name: str) -> None:
    workshop.file("f.csv", "x,y\n" + "1,a\n2,b\n" * 5)
    workshop.file("evil.py", "open('/tmp/EVALREPORT_PWNED_import', 'w')\nclass Classifier: pass\n")
    workshop.spec(TRAINED.replace("ESTIMATOR", name))
    workshop.refused(2, "spec.yaml:6:")


@pytest.mark.long
def test_a_foreign_module_is_not_imported_even_by_a_process_that_could(
    workshop: Workshop,
) -> None:
    workshop.file("f.csv", "x,y\n" + "1,a\n2,b\n" * 5)
    workshop.file("evil.py", "open('/tmp/EVALREPORT_PWNED_import', 'w')\nclass Classifier: pass\n")
    workshop.spec(TRAINED.replace("ESTIMATOR", "evil.Classifier"))
    done = command(
        "run", "spec.yaml", cwd=workshop.folder, env=environment(PYTHONPATH=f"{Path.cwd()}"
        f"{os.pathsep}{Path(__file__).parents[2]}"),
    )  # fmt: skip
    assert done.returncode == 2
    assert not Path("/tmp/EVALREPORT_PWNED_import").exists()


# -- 18: a pattern of a user costs linear time, because there is none ------------------------


def test_a_text_that_looks_like_a_pattern_is_text(workshop: Workshop, engine: str) -> None:
    workshop.file("a.csv", "y,p\n(a+)+$,(a+)+$\n" + "a" * 60 + "!,(a+)+$\n")
    workshop.spec(dataset=f"labels: ['(a+)+$', '{'a' * 60}!']")
    found = workshop.done(engine=engine)
    assert found.measure("accuracy")["numerator"] == 1
