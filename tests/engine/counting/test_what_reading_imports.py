"""A run that reads its rows imports nothing that only counting where rows lie needs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

#: What writes queries, and what speaks to databases, clusters and stores.
OF_COUNTING = {"sqlglot", "adbc_driver_manager", "pyarrow", "pyspark", "pandas"}


def test_a_small_run_imports_no_library_of_queries_and_no_client(tmp_path: Path) -> None:
    rows = "".join(f"{'ab'[i % 3 == 0]},{i % 7 / 7}\n" for i in range(60))
    (tmp_path / "rows.csv").write_text(f"y,s\n{rows}")
    spec = {
        "evalreport": 1, "datasets": {"d": {"path": "rows.csv", "target": "y"}},
        "models": {"m": {"score": "s"}}, "metrics": ["roc_auc", "recall"],
        "confidence": {"resamples": 20},
    }  # fmt: skip
    (tmp_path / "spec.yaml").write_text(json.dumps(spec))
    script = (
        "import sys\nfrom evalreport import api\nfrom pathlib import Path\n"
        "api.run(Path('spec.yaml'))\nprint(*sorted({n.split('.')[0] for n in sys.modules}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert "numpy" in done.stdout.split()
    assert OF_COUNTING & set(done.stdout.split()) == set()
