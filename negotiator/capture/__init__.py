"""Reads a captured pool; never decides."""
