"""Finds candidates for all slots at once: the room of speed; never another answer than that of
``negotiator.matching``.
"""
