"""Finds places in expressions that look like a text with holes: ``RemoteUserPrio < $other``.

A hole stands for any part, the same part wherever it stands twice.  A name stands for the attribute
in any spelling, in any ad unless it says in which.  What an operator's row says of its sides holds
here too: ``$other > RemoteUserPrio`` looks like the pattern above.  Parentheses do not count.

Inputs: the text of a pattern, a node.  Outputs: what stands in the holes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Final, TypeAlias

from classad.syntax.nodes import Binary, Call, Node, Reference, bare
from policy.language.expressions import parse
from policy.lint.trees import scope_of, sides

#: What stands in the holes of a pattern, by their names.
Holes: TypeAlias = Mapping[str, Node]

_HOLE: Final = re.compile(r"\$(\w+)")
#: What the name of a hole begins with where the parser reads it.
_MARK: Final = "hole__"
_NOTHING: Final[Holes] = {}


@cache
def pattern(text: str) -> Node:
    """The tree of a pattern, with references for its holes."""
    return bare(parse(_HOLE.sub(rf"{_MARK}\1", text)).node)


def matched(wanted: Node, node: Node, found: Holes = _NOTHING) -> Holes | None:
    """What stands in the holes of a pattern, beside what was found; None if it does not fit."""
    wanted, node = bare(wanted), bare(node)
    if isinstance(wanted, Reference):
        return _named(wanted, node, found)
    if type(wanted) is not type(node):
        return None
    if isinstance(wanted, Binary) and isinstance(node, Binary):
        for left, symbol, right in sides(node):
            same = symbol == wanted.operator
            kept = _all(wanted.children(), (left, right), found) if same else None
            if kept is not None:
                return kept
        return None
    if isinstance(wanted, Call) and isinstance(node, Call):
        same = wanted.name.casefold() == node.name.casefold()
    else:
        same = wanted.key() == node.key()
    same = same and len(wanted.children()) == len(node.children())
    return _all(wanted.children(), node.children(), found) if same else None


def _named(wanted: Reference, node: Node, found: Holes) -> Holes | None:
    """The same for a hole or the name of an attribute."""
    if wanted.name.startswith(_MARK):
        name = wanted.name.removeprefix(_MARK)
        return {**found, name: node} if found.get(name, node) == node else None
    if not isinstance(node, Reference) or node.name.casefold() != wanted.name.casefold():
        return None
    return found if wanted.base is None or scope_of(wanted) == scope_of(node) else None


def _all(wanted: Iterable[Node], nodes: Iterable[Node], found: Holes) -> Holes | None:
    kept: Holes | None = found
    for one, node in zip(wanted, nodes, strict=True):
        kept = None if kept is None else matched(one, node, kept)
    return kept
