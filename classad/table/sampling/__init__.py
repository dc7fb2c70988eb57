"""Evaluates an expression once for each distinct combination of values; knows no sets of rows."""
