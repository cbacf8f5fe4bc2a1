"""Values put on top of a spec from the command line."""

from __future__ import annotations

import pytest

from evalreport.errors import Location
from evalreport.spec.load import parse_spec
from evalreport.spec.overrides import without_folders


@pytest.mark.parametrize(
    ("override", "read", "expected"),
    [
        ("confidence.level=0.9", lambda s: s.confidence.level, 0.9),
        ("title=no", lambda s: s.title, "no"),
        ("title=1.0", lambda s: s.title, "1.0"),
        ("title=a=b", lambda s: s.title, "a=b"),
        ('title=""', lambda s: s.title, ""),
        ("metrics=[f1, {fbeta: {beta: 2}}]", lambda s: s.metrics[1].text, "fbeta(beta=2)"),
        ("metrics.0=ppv", lambda s: s.metrics[0].name, "precision"),
        ("datasets.d.path=e.csv", lambda s: s.datasets["d"].path, "e.csv"),
        ("datasets.d.positive.label=007x", lambda s: s.datasets["d"].positive.label, "007x"),
        ("report.formats=[html]", lambda s: s.report.formats, ("html",)),
        ("confidence.methods.accuracy=wald", lambda s: s.confidence.methods, {"accuracy": "wald"}),
        ("models.n={prediction: q}", lambda s: list(s.models), ["m", "n"]),
        ('models."a.b"={prediction: q}', lambda s: list(s.models), ["m", "a.b"]),
        ("thresholds=[0.3]", lambda s: s.thresholds[0].value, 0.3),
    ],
)  # fmt: skip
def test_an_override_is_typed_as_in_yaml(load, override, read, expected):
    assert read(load(overrides=(override,)).spec) == expected


def test_the_last_override_counts_and_places_survive(load):
    loaded = load(overrides=("confidence.level=0.9", "confidence.level=0.8"))
    assert loaded.spec.confidence.level == 0.8
    assert loaded.overrides == ("confidence.level=0.9", "confidence.level=0.8")
    assert loaded.where(("confidence", "level")) == Location("--set confidence.level=0.8")
    assert loaded.where(("metrics", 0)) == Location("s.yaml", 7, 11)


def test_the_hash_stays_that_of_the_file(load):
    assert load(overrides=("title=x",)).sha256 == load().sha256


@pytest.mark.parametrize(
    ("override", "expected"),
    [
        ("confidence.level=2", "level is 2; a number below 1"),
        ("confidence.levle=0.9", "unknown key 'levle'; did you mean 'level'?"),
        ("treshold=[0.5]", "unknown key 'treshold'; did you mean 'thresholds'?"),
        ("datasets.holdout.path=x.csv", "'datasets' has no 'holdout'; datasets are: d"),
        ("models.mm.score=q", "'models' has no 'mm'; did you mean 'm'?"),
        ("metrics.1=f1", "'metrics' has no item 1; 0 to 0"),
        ("metrics.-1=f1", "'metrics' has no item -1; 0 to 0"),
        ("title.x=1", "'title' has nothing inside; a path"),
        ("title", "no path and value; key.path=value"),
        ("=1", "no path and value; key.path=value"),
        ("a..b=1", "no path and value; key.path=value"),
        ("title=", 'there is no value; a value; "" is empty text'),
        ("title=[", "not YAML: did not find expected node content while parsing a flow node"),
        ("title=!!str x", "tags are not allowed: !!str; remove it"),
        ("title=&a x", "anchors are not allowed: &a; remove it"),
        ("title=007", "007 is a number with leading zeros; quote it: '007'"),
        ("title=a\u202eb", ("U+202E (right-to-left override) is not allowed; "
                           "remove it: it is invisible or changes how the text looks")),
    ],
)  # fmt: skip
def test_a_wrong_override_is_named(mistakes, override, expected):
    shown = override.replace("\u202e", "\\u202e")  # what cannot be seen is spelt out
    assert mistakes("", overrides=(override,)) == [f"--set {shown}: {expected}"]


def test_wrong_overrides_and_the_spec_are_told_together(mistakes):
    found = mistakes("treshold: [1]\n", overrides=("confidence.level=2", "nonsense"))
    assert found == [
        "--set confidence.level=2: level is 2; a number below 1",
        "--set nonsense: no path and value; key.path=value",
        "8:1: unknown key 'treshold'; did you mean 'thresholds'?",
    ]


def test_a_part_that_is_replaced_forgets_its_old_places():
    text = (
        "evalreport: 1\ndatasets: {d: {path: d.csv, target: y}}\nmodels: {m: {score: p}}\n"
        "metrics: [f1]\nconfidence: {level: 0.9}\n"
    )
    loaded = parse_spec(text, "s", ("confidence={seed: 3}",))
    assert loaded.spec.confidence.level == 0.95
    assert loaded.where(("confidence", "level")) == Location("--set confidence={seed: 3}")


@pytest.mark.parametrize(
    ("override", "names"),
    [
        ("datasets.d.path=/home/rows.csv", {"/home/rows.csv": "rows.csv"}),
        ("datasets.d={path: /home/rows.csv, target: y}", {"/home/rows.csv": "rows.csv"}),
        ("datasets.d.path=[/a/one.csv, two.csv]", {"/a/one.csv": "one.csv"}),
        ("datasets.d.path=C:/data/rows.csv", {"C:/data/rows.csv": "rows.csv"}),
        ("datasets.d.path=data/rows.csv", {}),
        ("title=/a/b", {}),
        ("no value", {}),
        ("title=[", {}),
    ],
)
def test_folders_of_the_machine_are_no_part_of_the_study(override, names):
    assert without_folders([override]) == names
