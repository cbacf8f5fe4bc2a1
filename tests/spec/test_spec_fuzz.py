"""Whatever is given: a loaded spec or an error with places, never anything else."""

from __future__ import annotations

import contextlib
import importlib.util
import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evalreport.errors import Problem, SpecError
from evalreport.spec.load import load_spec, parse_spec, resolved

HERE = Path(__file__).parent
CORPUS = sorted(HERE.glob("corpus/*.yaml")) + sorted(HERE.glob("hostile/*.yaml"))

#: Hostile specs that are right: strange text is text.
READABLE = ("norway", "template_source", "pattern")


def check(source: bytes | str, overrides: tuple[str, ...] = ()) -> None:
    """Load; what loads also loads again from its resolved form and means the same."""
    problems: tuple[Problem, ...] = ()
    loaded = None
    try:
        loaded = parse_spec(source, "fuzz.yaml", overrides)
    except SpecError as error:
        problems = error.problems
    assert (loaded is None) == bool(problems)
    assert all(problem.what for problem in problems)
    if loaded is None:
        return
    assert (
        parse_spec(json.dumps(resolved(loaded.spec), ensure_ascii=False), "again").spec
        == loaded.spec
    )


@given(st.binary(max_size=400))
def test_any_bytes(data):
    check(data)


@given(st.text(max_size=300))
def test_any_text(text):
    check(text)


TOKENS = st.sampled_from(
    ["a", ":", " ", "\n", "  ", "- ", "[", "]", "{", "}", ",", "? ", "&a ", "*a", "!t ", "'", '"',
     "|\n", ">-\n", "#", "---\n", "...\n", "%YAML 1.2\n", "~", "null", "007", "1.5", "1e400", "\t",
     "evalreport: 1\n", "datasets:", "models:", "metrics:", "accuracy", "<<", "\\", "\u202e", "é"]
)  # fmt: skip


@given(st.lists(TOKENS, max_size=60).map("".join))
def test_yaml_like_text(text):
    check(text)


LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 2**64),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=5),
    st.sampled_from(["accuracy", "fbeta", "each", "m", "d", "largest", "a.csv", "recall", "none"]),
)
#: Every key and word of the language, so that generated parts are nearly right.
WORDS = st.sampled_from(
    ["metric", "at_least", "at_most", "bound", "dataset", "model", "threshold", "subgroup", "label",
     "reference", "margin", "maximize", "minimize", "top", "on", "status", "value", "path",
     "target",
     "labels", "list", "positive", "score", "scores", "prediction", "linear",
     "bias", "estimator", "params", "features", "except", "steps", "tune", "grid", "fbeta", "beta",
     "recall", "level", "methods", "scheme", "folds", "formats", "run", "sql", "weights"]
)  # fmt: skip
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(WORDS | st.text(max_size=3), inner, max_size=4)
    ),
    max_leaves=12,
)
PARTS = st.sampled_from(
    ["title", "about", "datasets", "positive", "models", "metrics", "averaging", "thresholds",
     "subgroups", "subgroup_minimum", "costs", "prevalence", "hierarchy", "confidence",
     "cross_validation", "learning_curve", "comparisons", "acceptance", "declared", "drift",
     "cautions", "engine", "report", "evalreport"]
)  # fmt: skip
BASE = {
    "evalreport": 1,
    "datasets": {"d": {"path": "d.csv", "target": "y"}},
    "models": {"m": {"score": "p"}},
    "metrics": ["accuracy"],
}


@pytest.mark.long
@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.dictionaries(PARTS, VALUES | st.lists(VALUES, max_size=3), max_size=4))
def test_parts_of_any_shape(parts):
    check(json.dumps(BASE | parts, ensure_ascii=False))


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.text(max_size=40) | st.builds("{}.{}={}".format, PARTS, WORDS, st.text(max_size=10)))
def test_any_override(text):
    check(json.dumps(BASE), (text,))


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(
    st.sampled_from([path for path in CORPUS if path.stat().st_size]),
    st.integers(0, 10**6),
    st.integers(0, 40),
    st.binary(max_size=6),
)
def test_changed_specs(path, at, cut, inserted):
    data = path.read_bytes()
    at %= len(data)
    check(data[:at] + inserted + data[at + cut :])


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.name)
def test_the_corpus(path):
    refused = path.parent.name == "hostile" and path.stem not in READABLE
    with pytest.raises(SpecError) if refused else contextlib.nullcontext():
        load_spec(path)


@pytest.mark.long
def test_the_fuzz_script_runs():
    spec = importlib.util.spec_from_file_location("fuzz_spec", HERE / "fuzz_spec.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    assert script.fuzz(seconds=1.0, seed=1) > 50
