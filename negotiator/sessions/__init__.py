"""Spins of the pie, one submitter's session after another; never compares slots."""
