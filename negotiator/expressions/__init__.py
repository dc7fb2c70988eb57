"""Expressions of a cycle: what they depend on and what is settled for its time; knows no rule."""
