"""Answers from the recorded past of a pool: what became of a job, how long others waited; never
runs a cycle.
"""
