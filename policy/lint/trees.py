"""Answers questions about syntax trees that several checks ask: names, constants, conjuncts.

A pattern is a text with holes, ``RemoteUserPrio < $other``.  A hole stands for any part, the same
part wherever it stands twice.  A name stands for the attribute in any spelling, in any ad unless it
says in which.  What an operator's row says of its sides holds here too: ``$other > RemoteUserPrio``
looks like the pattern above.  Parentheses do not count.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Final, TypeAlias

from classad.errors import ClassAdParseError
from classad.evaluation.functions import InlineForm, lookup_function
from classad.language.operators import BINARY, COMPARISONS, GUARDS, MIRRORED
from classad.language.values import Value
from classad.patterns import late_regex
from classad.syntax.nodes import (
    Binary,
    Call,
    Conditional,
    Literal,
    Node,
    Reference,
    Unary,
    bare,
    walk,
)
from policy.data.tables import folded_attribute_names
from policy.language.expressions import parse


def references(node: Node) -> Iterator[Reference]:
    """All attribute references; the scopes MY and TARGET are no attributes."""
    for found in walk(node):
        if isinstance(found, Reference) and not is_scope(found):
            yield found


def is_scope(node: Reference) -> bool:
    """Is it MY or TARGET?"""
    return node.name.casefold() in ("my", "target")


def names(node: Node) -> set[str]:
    """The case-folded names of all attributes that it refers to."""
    return {found.name.casefold() for found in references(node)}


def scope_of(node: Reference) -> str | None:
    """``my`` or ``target`` where the reference says so."""
    return node.scope if node.scope in ("my", "target") else None


def squeezed(name: str) -> str:
    """A name without underscores, case-folded."""
    return name.replace("_", "").casefold()


def is_one_of_some(tree: Node, name: str) -> bool:
    """Does another name of a tree end in the same word behind an underscore, and is no slip itself?
    Names in pairs, as Want_MPI and Has_MPI, are of a site's own."""
    _, joint, word = name.casefold().rpartition("_")
    known = folded_attribute_names()
    others = (one for one in names(tree) if one != name.casefold() and squeezed(one) not in known)
    return bool(joint) and any(one.endswith(f"_{word}") for one in others)


def number(node: Node) -> float | None:
    """The number a node is, also with a sign."""
    node = bare(node)
    if isinstance(node, Unary) and node.operator in "+-":
        inner = number(node.operand)
        return None if inner is None else -inner if node.operator == "-" else inner
    if isinstance(node, Literal) and type(node.value) in (int, float):
        return float(node.value)  # type: ignore[arg-type]
    return None


def text_of(node: Node) -> str | None:
    """The text that a node is, if it is one."""
    node = bare(node)
    return node.value if isinstance(node, Literal) and isinstance(node.value, str) else None


def is_undefined(node: Node) -> bool:
    """Is it the literal UNDEFINED or ERROR?"""
    node = bare(node)
    return isinstance(node, Literal) and isinstance(node.value, Value)


def tree_of(text: str) -> Node | None:
    """The tree of a text; None if it is no expression."""
    try:
        return parse(text).node
    except ClassAdParseError:
        return None


def conjuncts(node: Node) -> Iterator[Node]:
    """The operands of a chain of ``&&``."""
    yield from _operands(node, "&&")


def disjuncts(node: Node) -> Iterator[Node]:
    """The operands of a chain of ``||``."""
    yield from _operands(node, "||")


def _operands(node: Node, operator: str) -> Iterator[Node]:
    stack = [node]
    while stack:
        top = bare(stack.pop())
        if isinstance(top, Binary) and top.operator == operator:
            stack.extend((top.right, top.left))
        else:
            yield top


def comparisons(node: Node) -> Iterator[Binary]:
    """All comparisons below a node."""
    for found in walk(node):
        if isinstance(found, Binary) and found.operator in COMPARISONS:
            yield found


def sides(node: Binary) -> Iterator[tuple[Node, str, Node]]:
    """An operator between its sides without parentheses, ``a < b``; and where that means the same
    with the sides exchanged, ``b > a``."""
    left, symbol, right = bare(node.left), node.operator, bare(node.right)
    yield left, symbol, right
    if symbol in COMPARISONS or BINARY[symbol].commutes:
        yield right, MIRRORED.get(symbol, symbol), left


def guarded(nodes: Iterable[Node]) -> set[str]:
    """Attributes that nodes test for being there, or use only after some test."""
    found: set[str] = set()
    for inner in nodes:
        if _is_guard(inner):
            found |= names(inner)
    return found


def _is_guard(node: Node) -> bool:
    if isinstance(node, Binary):
        return node.operator in GUARDS
    if isinstance(node, Call):
        function = lookup_function(node.name)
        return function is not None and function.guard
    return isinstance(node, Conditional)


def takes_pattern(node: Call) -> bool:
    """Is the first argument a regular expression?"""
    function = lookup_function(node.name)
    return function is not None and function.family == "regex"


def choice_of(node: Node) -> tuple[Node, Node, Node] | None:
    """Condition and branches of ``? :`` or ifThenElse()."""
    if isinstance(node, Conditional):
        return node.condition, node.then, node.otherwise
    function = lookup_function(node.name) if isinstance(node, Call) else None
    if function is None or function.form is not InlineForm.CHOICE:
        return None
    args = node.children()
    return (args[0], args[1], args[2]) if len(args) == 3 else None


def ends(node: Node) -> Iterator[Node]:
    """What may come out of choices inside each other, and of ``a ?: b``."""
    node = bare(node)
    choice = choice_of(node)
    if isinstance(node, Binary) and node.operator == "?:":
        choice = node, node.left, node.right
    if choice is None:
        yield node
    else:
        yield from ends(choice[1])
        yield from ends(choice[2])


# --- patterns: texts with holes -------------------------------------------------------------------

#: What stands in the holes of a pattern, by their names.
Holes: TypeAlias = Mapping[str, Node]

_HOLE: Final = late_regex(r"\$(\w+)")
#: What the name of a hole begins with where the parser reads it.
_MARK: Final = "hole__"
_NOTHING: Final[Holes] = {}


@cache
def pattern(text: str) -> Node:
    """The tree of a pattern, with references for its holes."""
    return bare(parse(_HOLE.sub(rf"{_MARK}\1", text)).node)


@cache
def words_of_pattern(text: str) -> frozenset[str]:
    """The words without which nothing looks like a pattern."""
    return words_of(walk(pattern(text)))


def words_of(nodes: Iterable[Node]) -> frozenset[str]:
    """The case-folded names of attributes and functions among nodes, but for those of holes; and
    of an operator and its mirror image the first."""
    found = set()
    for node in nodes:
        if isinstance(node, Binary):
            found.add(min(node.operator, MIRRORED.get(node.operator, node.operator)))
        elif isinstance(node, Reference | Call) and not node.name.startswith(_MARK):
            found.add(node.name.casefold())
    return frozenset(found)


def matched(wanted: Node, node: Node, found: Holes = _NOTHING) -> Holes | None:
    """What stands in the holes of a pattern, beside what was found; None if it does not fit."""
    wanted, node = bare(wanted), bare(node)
    if isinstance(wanted, Reference):
        return _named(wanted, node, found)
    if type(wanted) is not type(node):
        return None
    if isinstance(wanted, Binary) and isinstance(node, Binary):
        if wanted.operator not in (node.operator, MIRRORED.get(node.operator)):
            return None
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
