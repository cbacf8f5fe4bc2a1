"""What is measured now against an earlier run, a declared value or another dataset."""
