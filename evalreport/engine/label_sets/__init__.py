"""Rows with sets of labels: their tables, values and intervals."""
