"""``pieslice eval`` and ``pieslice select``: expressions on ads in files; never knows a pool."""
