"""Plain mathematics of evaluation: intervals, tests and resampling. Knows no metric."""
