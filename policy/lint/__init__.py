"""The findings of ``pieslice check``, one family a file, listed in ``policy.lint.findings``; never
prints one.
"""
