"""Finds the characters of a file that a finding is about."""

from __future__ import annotations

from classad.syntax.nodes import Node
from policy.knobs.reading import Place, place
from policy.language.origins import locate
from policy.lint.view import Setting


def spot(setting: Setting, node: Node) -> Place:
    """Where a node of the setting's expression stands: in the macro's text or a helper's."""
    assert setting.reading is not None
    return stretch(setting, setting.reading.text, node.start, node.end)


def stretch(setting: Setting, text: str, start: int, end: int) -> Place:
    """Where ``start:end`` of the expanded value stands."""
    found = locate(setting.config.scope, setting.entry, start, end)
    return found if found is not None else place(setting.entry, text, start, end)
