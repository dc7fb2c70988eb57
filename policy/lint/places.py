"""Finds the characters of a file that a finding is about."""

from __future__ import annotations

from classad.errors import ClassAdParseError
from classad.syntax.nodes import Node
from policy.knobs.reading import EXPANDED, Place, place
from policy.language.expressions import parse
from policy.lint.view import Setting


def spot(setting: Setting, node: Node) -> Place:
    """Where a node of the setting's expression stands: in the macro's text or a helper's."""
    assert setting.reading is not None
    return stretch(setting, setting.reading.text, node.start, node.end)


def stretch(setting: Setting, text: str, start: int, end: int) -> Place:
    """Where ``start:end`` of the expanded value stands."""
    entry = setting.entry
    found = setting.origins.locate(start, end)
    if found is not None:
        return found
    spot = place(entry, text, start, end)
    if spot[0] is None or not spot[0].name.endswith(EXPANDED):
        return spot
    assert entry.source is not None
    # The value is put together: the last time that the file has the words, else all it has.
    at = entry.source.text.rfind(text[start:end], entry.start, entry.end)
    if at >= 0:
        return entry.source, at, at + end - start
    return entry.source, entry.start, entry.end


def unparsable(setting: Setting) -> tuple[str, Place] | None:
    """What is wrong with the expression of a macro, and where; None if it can be parsed."""
    text = setting.text()
    try:
        parse(text)
    except ClassAdParseError as mistake:
        found = mistake.diagnostic
        assert found is not None
        if text.strip():
            where = stretch(setting, text, found.start, max(found.end, found.start + 1))
            return f"{setting.macro}: {found.message}", where
    return None
