"""``pieslice negotiate``: runs cycles on a given pool and prints what they decide; never reads a
file or makes a decision itself.
"""
