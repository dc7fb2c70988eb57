"""Random inputs against properties that must always hold, ``python -m fuzz --help``; never part of
what is installed.
"""
