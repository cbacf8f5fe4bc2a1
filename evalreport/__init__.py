"""Evaluation reports of classifiers that can be checked by hand."""

__version__ = "0.1.0"
