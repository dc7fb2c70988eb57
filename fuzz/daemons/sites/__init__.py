"""Draws what real sites have, each part by its name, and puts it into a scenario of any kind.

It never runs them.
"""
