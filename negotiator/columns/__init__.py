"""Finds candidates among all slots at once, for speed; never decides anything by itself."""
