"""Checking a spec starts quickly and imports nothing heavy; estimators are named by a list."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from evalreport.spec.estimators import CLASSIFIERS, TAKE_SEVERAL_TARGETS

EVERYTHING = Path(__file__).parent / "corpus" / "everything.yaml"
HEAVY = (
    "pandas", "matplotlib", "scipy", "sklearn", "duckdb", "weasyprint", "jinja2", "skops",
    "sqlglot",    "rich", "pyarrow", "requests", "joblib",
)  # fmt: skip


def test_loading_a_spec_imports_nothing_heavy():
    script = (
        "import json, sys\n"
        "from evalreport.spec.load import load_spec\n"
        f"load_spec({str(EVERYTHING)!r})\n"
        "print(json.dumps(sorted({name.split('.')[0] for name in sys.modules})))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    assert sorted(set(json.loads(done.stdout)) & set(HEAVY)) == []


@pytest.mark.filterwarnings("ignore")
def test_the_list_of_classifiers_is_that_of_scikit_learn():
    from importlib import import_module

    from sklearn.utils import all_estimators

    theirs = {cls for _, cls in all_estimators("classifier")}
    ours = set()
    for path in (*CLASSIFIERS, *TAKE_SEVERAL_TARGETS):
        module, _, name = path.rpartition(".")
        ours.add(getattr(import_module(module), name))
    assert ours == theirs
