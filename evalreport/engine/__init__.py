"""How numbers are computed: tables counted, metrics evaluated, intervals, thresholds, results."""
