"""Subgroups side by side: gaps, ratios, impact."""
