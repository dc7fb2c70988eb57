"""Recorded cases about the ClassAd language; never knows a configuration or a pool."""
