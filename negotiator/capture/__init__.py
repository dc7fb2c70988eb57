"""Reads a captured pool; never runs a cycle."""
