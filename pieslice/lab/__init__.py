"""``pieslice lab``: a page in the browser in which a policy is edited and the pool answers at once;
never changes a pool or a file, never asks another machine.
"""
