"""What will be computed, decided before anything is."""
