"""Results of every ready spec are what verify makes of their tables, folds and curves."""

from __future__ import annotations

from pathlib import Path

import pytest
from ready_specs import CONFIGS, results_of

from evalreport.verify.recompute import recompute


@pytest.mark.long
@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_a_ready_spec_is_verified(path: Path) -> None:
    """Among them a difference that one fold does not have, and curves that are thinned out."""
    done = recompute(results_of(path))
    assert done.problems == ()
    every = done.recomputed + sum(done.left_out.values())
    # curves of digits are thinned out: what they are made of needs the rows
    assert done.recomputed / every > (0.35 if path.stem == "digits" else 0.75)
