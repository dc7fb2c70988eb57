"""Lists the names that an expression mentions, without looking at any ad.

``MY.x`` and ``SELF.x`` count to MY, ``TARGET.x`` and ``OTHER.x`` to TARGET, every other first name
(``a`` of ``a.b.c``, ``.a``) is unscoped.  Names that a nested ad of the expression itself defines
are none of the three inside it, and neither are the scopes' own names.  What the names lead to is
found by ``classad.analysis.references``, which follows definitions.

Inputs: an expression.  Outputs: a ``RefSet``, sets of names in the spelling of their first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from classad.language.names import SIDES, fold_name

if TYPE_CHECKING:
    from classad.ads.expression import Expression
    from classad.syntax.nodes import Node, Reference


class RefSet(NamedTuple):
    """The names in an expression, each set without duplicates that differ in case only."""

    my: frozenset[str]
    target: frozenset[str]
    unscoped: frozenset[str]
    functions: frozenset[str]


def refs(expr: Expression | Node | str) -> RefSet:
    """The attributes and functions that an expression mentions.

    >>> from classad import refs
    >>> found = refs("TARGET.Memory >= RequestMemory && MY.Want && regexp(Pattern, TARGET.Name)")
    >>> sorted(found.target), sorted(found.unscoped), sorted(found.my), sorted(found.functions)
    (['Memory', 'Name'], ['Pattern', 'RequestMemory'], ['Want'], ['regexp'])
    >>> refs("1 + 1").unscoped
    frozenset()
    """
    from classad.evaluate import as_tree
    from classad.syntax.nodes import AdExpr, Call, Reference

    names: dict[str, dict[str, str]] = {field: {} for field in RefSet._fields}
    stack: list[tuple[Node, frozenset[str]]] = [(as_tree(expr).node, frozenset())]
    while stack:
        node, defined = stack.pop()
        if isinstance(node, AdExpr):
            defined |= {fold_name(name) for name, _ in node.attributes}
        elif isinstance(node, Call):
            names["functions"].setdefault(fold_name(node.name), node.name)
        elif isinstance(node, Reference):
            side = _side(node)
            if side is None:
                stack.append((node.base, defined))  # type: ignore[arg-type]
            elif side and (node.absolute or fold_name(node.name) not in defined):
                names[side].setdefault(fold_name(node.name), node.name)
            continue
        stack.extend((child, defined) for child in reversed(node.children()))
    return RefSet(*(frozenset(names[field].values()) for field in RefSet._fields))


def _side(node: Reference) -> str | None:
    """To which set a reference belongs; empty: to none, None: its base decides."""
    if node.base is None:
        return "" if not node.absolute and fold_name(node.name) in SIDES else "unscoped"
    return SIDES.get(node.scope)


class ReferencedNames(NamedTuple):
    """The names an expression mentions, lower-cased: of the other ad, of either, of its own."""

    target: frozenset[str]
    bare: frozenset[str]
    mine: frozenset[str]
    #: The functions that it calls, lower-cased.
    called: frozenset[str]


def references_of(node: Node) -> ReferencedNames:
    """All attribute references in an expression, by scope."""
    from classad.syntax.nodes import Call, Reference

    found: dict[str, set[str]] = {kind: set() for kind in ReferencedNames._fields}
    stack = [node]
    while stack:
        top = stack.pop()
        if isinstance(top, Call):
            found["called"].add(top.name.lower())
        elif isinstance(top, Reference):
            kind = _kind(top)
            if kind:
                found[kind].add(top.name.lower())
                continue
        stack.extend(top.children())
    return ReferencedNames(**{kind: frozenset(names) for kind, names in found.items()})


def _kind(node: Reference) -> str:
    """Of which ad a reference asks for an attribute; empty where its base decides."""
    base: Any = node.base
    if base is None:
        return "mine" if node.absolute else "bare"
    if getattr(base, "absolute", False) and fold_name(base.name) == "right":
        return "target"  # see ``partner`` of ``flatten``
    return {"my": "mine", "target": "target"}.get(SIDES.get(node.scope, ""), "")
