"""Rows to tables: in memory, in DuckDB, in Spark, under one rule."""
