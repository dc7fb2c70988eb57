"""Recorded cases about configurations and user maps; never runs a program that a case names."""
