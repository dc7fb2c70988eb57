"""Keeps the answers of a table and intersects them, within a budget; never parses."""
