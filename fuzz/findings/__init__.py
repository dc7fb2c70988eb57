"""Judges ``pieslice check``: planted faults that it must find, clean files in which it must not."""
