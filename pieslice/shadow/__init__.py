"""Runs the commands ``capture`` and ``shadow``, which predicts the cycles of a running pool; never
decides what a cycle does.
"""
