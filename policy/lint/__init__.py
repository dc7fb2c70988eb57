"""The checks behind ``pieslice check``: ``policy.lint.findings`` has them all.

Nothing is imported here, so that the command line starts fast.
"""
