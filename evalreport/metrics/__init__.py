"""Declared metrics and the tables they are computed from."""
