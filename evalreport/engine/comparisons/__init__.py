"""Two models on the same rows, one model on two datasets."""
