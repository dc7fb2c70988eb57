"""Compares cycles with those of the real daemons: scenarios are drawn, run on both, made smaller.

Only tests of the project use it.  It never ships with a package.
"""
