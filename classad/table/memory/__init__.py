"""Counts what a table keeps for later answers; knows nothing of ads."""
