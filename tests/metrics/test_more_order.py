"""The catalogue of a fresh process: its order, and that it is there when first asked for."""

from __future__ import annotations

import subprocess
import sys

import pytest

from evalreport.metrics.catalogue import DECLARING, catalogue


def test_the_order_is_that_of_the_modules_and_not_of_their_import() -> None:
    program = (
        "import evalreport.metrics.ranking\n"
        "from evalreport.metrics.catalogue import catalogue\n"
        "print(*(m.name for m in catalogue()))"
    )
    command = [sys.executable, "-c", program]
    names = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert names == [m.name for m in catalogue()]
    assert names[:3] == ["accuracy", "error_rate", "recall"]
    assert names[-1] == "label_ranking_average_precision"
    modules = [m.function.__module__.rpartition(".")[2] for m in catalogue()]
    places = [DECLARING.index(module) for module in modules]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("question", "answer"),
    [("find('ppv').name", "precision"), ("'ppv' in known_names()", "True")],
)
def test_the_first_question_is_answered(question: str, answer: str) -> None:
    program = f"from evalreport.metrics.catalogue import find, known_names\nprint({question})"
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == answer
