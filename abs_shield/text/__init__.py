"""Analysis of strings, and safe display of strings from a model."""
