"""Several readers of the same cases: each, their mean, differences of models, agreement."""
