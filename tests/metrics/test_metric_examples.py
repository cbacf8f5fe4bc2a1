"""Every declared metric carries a worked example, and the example holds."""

from __future__ import annotations

import doctest
import inspect

import pytest

from evalreport.metrics.catalogue import catalogue
from evalreport.metrics.declare import Metric

FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


@pytest.mark.parametrize("metric", catalogue(), ids=lambda metric: metric.name)
def test_worked_example(metric: Metric) -> None:
    function = inspect.unwrap(metric.function)
    found = doctest.DocTestFinder().find(function, metric.name, globs=dict(function.__globals__))
    examples = [test for test in found if test.examples]
    assert examples, "no worked example"
    for test in examples:
        messages: list[str] = []
        result = doctest.DocTestRunner(optionflags=FLAGS).run(test, out=messages.append)
        assert result.failed == 0, "".join(messages)


@pytest.mark.parametrize("metric", catalogue(), ids=lambda metric: metric.name)
def test_a_declaration_is_complete(metric: Metric) -> None:
    assert metric.title
    assert metric.reference
    assert metric.use
    assert metric.avoid
    assert metric.meaning.endswith(".")
    assert metric.averages or metric.no_average
    assert metric.undefined
