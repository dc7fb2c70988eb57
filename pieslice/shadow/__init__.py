"""The command ``capture``, and what is done with the cycles of a pool that runs; never decides what a
cycle does.
"""
