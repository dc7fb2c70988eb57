"""Draws wild scenarios: many features mixed in one small pool, every one of them in some.

It never runs them.
"""
