"""The kinds of recorded case about cycles, quotas and accounting, for ``pieslice conform``."""
