"""Expressions of a cycle: what they depend on and what of them is constant in it; knows no rule."""
