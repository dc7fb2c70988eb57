"""Runs the command ``capture`` and follows the cycles of a running pool; never decides what a cycle
does.
"""
