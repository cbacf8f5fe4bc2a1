"""Where predictions come from: columns, linear models, saved models, cross-validation."""
