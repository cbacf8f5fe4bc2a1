"""From results to a published run: the files that are drawn, and the folder they are kept in."""
