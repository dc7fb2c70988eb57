"""``pieslice simulate``: a pool over days, with jobs that arrive and claims that end; never decides
who gets a slot.
"""
