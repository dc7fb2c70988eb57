"""Compares recorded answers of the real HTCondor with ours; never changes a record."""
