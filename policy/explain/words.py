"""Puts texts and numbers into sentences."""

from __future__ import annotations

from collections.abc import Iterable


def code(text: str) -> str:
    """A text of the configuration inside a sentence."""
    return f"`{' '.join(text.split())}`"


def listing(items: Iterable[str]) -> str:
    """``a, b and c``."""
    names = list(items)
    return " and ".join([*([", ".join(names[:-1])] if len(names) > 1 else []), *names[-1:]])


def duration(seconds: float) -> str:
    """Seconds, with a bigger unit if it fits."""
    for unit, length in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds >= length:
            count = seconds / length
            shown = f"{count:.3g}"
            return f"{seconds:g} s ({shown} {unit}{'' if shown == '1' else 's'})"
    return f"{seconds:g} s"
