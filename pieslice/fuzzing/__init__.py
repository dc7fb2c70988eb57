"""``pieslice fuzz``: searches the pool and the jobs that break a policy; never has a rule of its
own.
"""
