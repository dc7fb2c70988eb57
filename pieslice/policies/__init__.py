"""``pieslice check``, ``config``, ``map`` and ``policy``: what a configuration says; never
interprets a macro itself.
"""
