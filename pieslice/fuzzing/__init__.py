"""Searching the pool and the jobs that break a policy: ``pieslice fuzz``."""
