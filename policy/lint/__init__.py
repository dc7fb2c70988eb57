"""The checks behind ``pieslice check``: ``policy.lint.findings`` has them all."""
