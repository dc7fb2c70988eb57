"""Recorded cases about priorities, quotas and cycles; never knows how a case was recorded."""
