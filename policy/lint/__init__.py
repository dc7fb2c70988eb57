"""The findings of ``pieslice check``, one family a file, listed in ``policy.lint.findings``; never
prints one.

Nothing is imported here, so that the command line starts fast.
"""
