"""Rows counted, or read, where a database or a cluster keeps them."""
