"""Finds the ads for which flattening an expression can change what it is worth.

Flattening lets the operands of an operator that are known to the ad decide before the others: of
``X || True`` it leaves ``True``, though ``X`` may be an error; an error that is known goes to the
front.  Where only the truth of requirements counts, most expressions keep their worth, and an ad
keeps them as they were sent, which many ads share.  Follows ``classad.analysis.flatten``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from enum import IntEnum
from itertools import chain
from typing import Final, NamedTuple, Protocol

from classad.ads.expression import Expression
from classad.analysis.mentions import references_of
from classad.evaluation.functions import Laziness, Where, lookup_function
from classad.language.names import SIDES
from classad.language.operators import BINARY, CHOICE, EQUALITY, IDENTITY, LOGIC, ORDER, truth
from classad.language.values import ERROR, UNDEFINED, ClassAdValue
from classad.syntax import nodes
from classad.syntax.lazy import LazyExpression
from classad.syntax.nodes import Binary, Call, Node, Reference, Unary
from classad.table.expressions.conjuncts import constants_of
from negotiator.expressions.known import conjuncts_of, references_in
from negotiator.expressions.memo import ExpressionMemo, by_tree, lasting_memo

#: Levels of an expression that are looked at one by one.
_TALL: Final = 200


class Level(IntEnum):
    """What of a value counts: whether it is true, its value as a condition, or all of it."""

    TRUE = 0
    LOGICAL = 1
    WHOLE = 2


class AdSet(Protocol):
    """Some ads whose attributes are looked at together; sets of them are bits of an integer."""

    @property
    def all(self) -> int:
        """All of them."""

    @property
    def open_names(self) -> Collection[str]:
        """The attributes for which some of them may have expressions, in lower case."""

    def trees(self, name: str) -> Iterable[tuple[int, Expression]]:
        """The expressions that ads have for an attribute, each with a number."""

    def having_tree(self, name: str, number: int) -> int:
        """The ads that have the expression with this number."""

    def having(self, name: str) -> int:
        """The ads that have an attribute."""

    def where(self, tree: Expression, chosen: Callable[[ClassAdValue], bool]) -> int:
        """The ads in which an expression by itself has one of the chosen values."""


#: Finds the ads for which flattening makes a difference at one place of an expression.
Hazard = Callable[[AdSet], int]


class Regrouping(NamedTuple):
    """Where flattening an expression can make a difference, and what it leads to.

    ``called``: functions, and ``?:``.  ``read``: the ``names`` whatever counts of them.  ``open``:
    as a conjunct it would lose what it still gathers beside one that is known to be true.
    """

    hazards: tuple[Hazard, ...]
    names: frozenset[tuple[str, Level]]
    called: frozenset[str]
    read: frozenset[str]
    open: bool = False


@by_tree
def regrouping_of(tree: Expression, level: Level) -> Regrouping:
    """Where flattening an expression can make a difference, for what of its value counts."""
    parts = conjuncts_of(tree) if level is Level.TRUE else None
    if parts is None:
        return _of_text(tree, level)
    return _join([regrouping_of(part, level) for part in parts])


def _join(regroupings: list[Regrouping]) -> Regrouping:
    """What there is to know of conjuncts of which the truth counts."""
    hazards, names, called, read, are_open = zip(*regroupings, strict=True)
    whole: tuple[Hazard, ...] = (lambda ads: ads.all,) if any(are_open) else ()
    return Regrouping(
        (*whole, *chain.from_iterable(hazards)),
        frozenset().union(*names),
        frozenset().union(*called),
        frozenset().union(*read),
    )


def _of_text(tree: Expression, level: Level) -> Regrouping:
    """The same; texts that differ in constants only are alike, unless there are hazards."""
    unbuilt: object = tree._node
    left = constants_of(unbuilt.text) if unbuilt.__class__ is LazyExpression else None
    if left is None:
        return _read(tree, level)
    key = (left[0], unbuilt.how, level)  # type: ignore[attr-defined]
    known = _FORMS.get(key)
    if known is not None and not known.hazards:
        return known
    found = _read(tree, level)
    return _FORMS.keep(key, found) if known is None else found


#: By the text without its constants, and the level.
_FORMS: Final[ExpressionMemo[object, Regrouping]] = lasting_memo()


def _read(tree: Expression, level: Level) -> Regrouping:
    walk = _Walk()
    if _is_tall(tree.node):
        walk.skim(tree.node)
    else:
        walk.visit(tree.node, level)
    read = frozenset([name for name, _ in walk.names])
    hazards, names, called = tuple(walk.hazards), frozenset(walk.names), frozenset(walk.called)
    return Regrouping(hazards, names, called, read, is_open(tree.node))


def _is_tall(node: Node) -> bool:
    """A short text is not; nodes that were made have none."""
    return not 0 < node.end - node.start <= _TALL and nodes.height(node) > _TALL


class _Walk:
    """Goes through an expression."""

    def __init__(self) -> None:
        self.hazards: list[Hazard] = []
        self.names: set[tuple[str, Level]] = set()
        self.called: set[str] = set()

    def visit(self, node: Node, level: Level) -> None:
        """Take in a node of which so much counts."""
        if node.__class__ is nodes.Literal:
            return
        if isinstance(node, nodes.Parens):
            self.visit(node.inner, level)
        elif isinstance(node, Reference):
            self._reference(node, level)
        elif isinstance(node, Binary) and node.operator in LOGIC:
            self._logic(node, level)
        else:
            inner = Level.LOGICAL if isinstance(node, Unary) and node.operator == "!" else None
            if isinstance(node, Call):
                self._call(node)
            elif isinstance(node, Binary) and BINARY[node.operator].commutes:
                self._arithmetic(node)
            elif isinstance(node, Binary) and node.operator in CHOICE:
                self._choice(node)
            for child in node.children():
                self.visit(child, inner or Level.WHOLE)

    def skim(self, tree: Node) -> None:
        """Take in an expression that is nested deeply: all of it counts, in every ad."""
        self.hazards.append(lambda ads: ads.all)
        for node in nodes.walk(tree):
            if isinstance(node, Call):
                self.called.add(node.name.lower())
            elif isinstance(node, Binary) and node.operator in CHOICE:
                self._choice(node)
            elif isinstance(node, Reference):
                self.names.add((node.name.lower(), Level.WHOLE))

    def _reference(self, node: Reference, level: Level) -> None:
        if node.base is None or SIDES.get(node.scope) == "my":
            self.names.add((node.name.lower(), level))
        elif SIDES.get(node.scope) != "target":
            self.visit(node.base, Level.WHOLE)

    def _call(self, node: Call) -> None:
        self.called.add(node.name.lower())
        function = lookup_function(node.name, None)
        if function is None or function.laziness is not Laziness.RAW:
            return
        if Where.IN_EACH not in function.where:
            # It looks at the text of its arguments.
            self.hazards.append(_knowing(node.args))
        for argument, where in zip(node.args, function.where, strict=False):
            if where is Where.IN_EACH:
                self.hazards.append(_settling(argument))

    def _arithmetic(self, node: Binary) -> None:
        """Operands are gathered, others behind another open operator are lost."""
        if any(is_open(child) for child in (node.left, node.right)):
            self.hazards.append(lambda ads: ads.all)

    def _choice(self, node: Binary) -> None:
        """In some versions flattening makes another operator of ``?:``, see ``LanguageRules``."""
        if not _surely_unknown(node.left):
            self.called.add(node.operator)

    def _logic(self, node: Binary, level: Level) -> None:
        left, right = node.left, node.right
        either = node.operator == "||"
        keeps = level if level is Level.TRUE else Level.LOGICAL
        self.visit(left, Level.LOGICAL if either else keeps)
        self.visit(right, keeps)
        if any(is_open(child) and child.operator not in LOGIC for child in (left, right)):  # type: ignore[attr-defined]
            self.hazards.append(lambda ads: ads.all)
        if either:
            self._later(left, right, _spoils_or if _can_fail(left) else _fails)
            if _is_row(left, "||") and _is_row(right, "&&"):
                for operand in row(right):
                    if not _surely_unknown(operand):
                        self.hazards.append(_where(operand, _settles_nothing))
        elif level is not Level.TRUE:
            self._later(left, right, _spoils_and if _can_fail(left) else _fails)
            if level is Level.WHOLE:
                self._bare(left, right)
                self._bare(right, left)

    def _later(self, left: Node, right: Node, harmful: Callable[[ClassAdValue], bool]) -> None:
        """``right`` comes before ``left`` when it is known and ``left`` is not."""
        if _surely_unknown(right) or (harmful is _fails and not _can_fail(right)):
            return
        unknown, asked = _unknown(left), _where(right, harmful)
        self.hazards.append(_both(unknown, asked))

    def _bare(self, known: Node, left: Node) -> None:
        """What is left of ``True && X`` is ``X``."""
        if not _surely_unknown(known) and not _is_logical(left):
            unknown, asked = _unknown(left), _where(known, lambda value: truth(value) is True)
            self.hazards.append(_both(unknown, asked))


# --- values that make a difference ----------------------------------------------------------------


def _fails(value: ClassAdValue) -> bool:
    return truth(value) is ERROR


def _spoils_or(value: ClassAdValue) -> bool:
    return truth(value) in (ERROR, True)


def _spoils_and(value: ClassAdValue) -> bool:
    return truth(value) in (ERROR, False)


def _settles_nothing(value: ClassAdValue) -> bool:
    return truth(value) in (ERROR, UNDEFINED)


def _where(node: Node, chosen: Callable[[ClassAdValue], bool]) -> Hazard:
    tree = Expression.from_node(node)
    return lambda ads: ads.where(tree, chosen)


def _both(one: Hazard, other: Hazard) -> Hazard:
    """Finds the ads that two look for; the second is asked only if the first finds some."""

    def both(ads: AdSet) -> int:
        found = one(ads)
        return found and found & other(ads)

    return both


def _unknown(node: Node) -> Hazard:
    """Finds the ads in which a node is no value."""
    if references_of(node).target:
        return lambda ads: ads.all
    names = _own_names(node)

    def unknown(ads: AdSet) -> int:
        found = 0
        for name in names:
            found |= ads.all & ~ads.having(name)
            for number, _ in ads.trees(name):
                found |= ads.having_tree(name, number)
        return found

    return unknown


def _knowing(arguments: Iterable[Node]) -> Hazard:
    """Finds the ads that have something that is named."""
    names = frozenset[str]().union(*map(_own_names, arguments))
    return lambda ads: _any(map(ads.having, names))


def _settling(item: Node) -> Hazard:
    """Finds the ads that settle something of what is evaluated in other ads.

    Evaluated there, a name that the ad has could be found in the other one first, ``TARGET`` could
    be another, and it matters whether the ad has the attribute that is evaluated at all.
    """
    found = references_of(item)
    if found.target:
        return lambda ads: ads.all
    own = found.bare | found.mine
    name = item.name.lower() if isinstance(item, Reference) else ""
    if own != {name}:
        return _knowing((item,))

    def settled(ads: AdSet) -> int:
        settled = ads.all & ~ads.having(name)
        for number, tree in ads.trees(name):
            settled |= ads.having_tree(name, number) & _settled_in(tree, ads)
        return settled

    return settled


def _settled_in(tree: Expression, ads: AdSet) -> int:
    """The ads that settle something of such an attribute's expression."""
    found = references_in(tree)
    if found.target or isinstance(tree.node, Reference):
        return ads.all
    return _any(map(ads.having, found.bare | found.mine))


def _any(sets: Iterable[int]) -> int:
    found = 0
    for each in sets:
        found |= each
    return found


# --- what can be told from a node alone -----------------------------------------------------------


def _own_names(node: Node) -> frozenset[str]:
    found = references_of(node)
    return found.bare | found.mine


def _surely_unknown(node: Node) -> bool:
    """Whether a node is no value whatever the ad has."""
    if isinstance(node, Reference):
        if SIDES.get(node.scope) == "target":
            return True
        return node.base is not None and _surely_unknown(node.base)
    if isinstance(node, Call) and lookup_function(node.name, None) is None:
        return False
    if isinstance(node, Binary) and node.operator in LOGIC:
        return _surely_unknown(node.left) and _surely_unknown(node.right)
    if isinstance(node, nodes.Conditional):
        return _surely_unknown(node.condition)
    return any(map(_surely_unknown, node.children()))


def _can_fail(node: Node) -> bool:
    """Whether a node, as a condition, can be an error."""
    if isinstance(node, nodes.Parens):
        return _can_fail(node.inner)
    if isinstance(node, nodes.Literal):
        return truth(node.evaluated) is ERROR
    if isinstance(node, Unary) and node.operator == "!":
        return _can_fail(node.operand)
    if isinstance(node, Binary) and node.operator in LOGIC:
        return _can_fail(node.left) or _can_fail(node.right)
    return not (isinstance(node, Binary) and node.operator in IDENTITY)


def _is_logical(node: Node) -> bool:
    """Whether a node is true, false, undefined or an error, and nothing else."""
    if isinstance(node, nodes.Parens):
        return _is_logical(node.inner)
    if isinstance(node, Unary):
        return node.operator == "!"
    return isinstance(node, Binary) and (node.operator in LOGIC | IDENTITY | ORDER | EQUALITY)


def is_open(node: Node) -> bool:
    """Whether a node can be an operator that still gathers values."""
    return isinstance(node, Binary) and BINARY[node.operator].commutes


def _is_row(node: Node, symbol: str) -> bool:
    return isinstance(node, Binary) and node.operator == symbol


def row(node: Node) -> Iterator[Node]:
    """The operands of a row of ``&&``."""
    while isinstance(node, Binary) and node.operator == "&&":
        yield node.right
        node = node.left
    yield node
