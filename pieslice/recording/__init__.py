"""Keeps captures of one pool over time in one file; never reads what the ads mean."""
