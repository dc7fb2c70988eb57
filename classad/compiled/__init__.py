"""The evaluator's meaning, compiled for one ad at a time; never another meaning."""
