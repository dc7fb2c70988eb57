"""Compares texts with those that are kept; what differs is shown as a diff of their lines."""

from __future__ import annotations

from difflib import unified_diff


def same_text(found: str, kept: str, module: str) -> None:
    """Fail if a text is not the one that is kept; ``module`` writes that anew."""
    if found == kept:
        return
    lines = unified_diff(kept.splitlines(), found.splitlines(), "kept", "now", lineterm="", n=2)
    difference = "\n".join(lines)
    raise AssertionError(f"{difference}\nif it is meant: python -m {module}")
