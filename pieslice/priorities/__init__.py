"""``pieslice userprio``: condor_userprio on saved states, its tables and its edits; never talks to
a negotiator.
"""
