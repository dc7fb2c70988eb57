"""Keeps captures of one pool over time in one file, with what jobs and slots did between them; never
answers a question or runs a cycle.
"""
