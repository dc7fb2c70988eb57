"""Keeps captures of one pool over time in one file, and what jobs and slots did between them; never
runs a cycle.
"""
