"""The same evaluation per period of time."""
