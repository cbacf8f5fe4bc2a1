"""The spec language: a YAML file in, frozen typed values out, every mistake at once."""
