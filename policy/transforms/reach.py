"""Finds the routes that no job can get, because an earlier one takes every job that they would.

What is found is certain: a route whose REQUIREMENTS are true wherever those of a later one are,
read as alternatives of conditions.  A route that is full lets jobs through to later ones.
Inputs: a routing table.  Outputs: the routes that come too late, each with the one before it.
"""

from __future__ import annotations

from collections.abc import Iterable

from attr import frozen

from classad.ads.ad import Ad
from classad.ads.expression import Expression
from classad.evaluate import EvalContext, evaluate
from classad.syntax.nodes import Binary, Call, Node, Reference, bare, walk
from policy.transforms.routes import Route, RoutingTable


@frozen
class Late:
    """``routes`` get no job as long as ``earlier`` has room.

    ``everything``: the earlier one takes every job that the router looks at.
    """

    earlier: Route
    routes: tuple[Route, ...]
    everything: bool

    def sentence(self) -> str:
        """Which routes get no job, as long as what is true."""
        many, earlier = len(self.routes) > 1, self.earlier
        names = ", ".join(route.name for route in self.routes)
        them, they = ("them", "they") if many else ("it", "it")
        what = "every job" if self.everything else f"every job that {they} would take"
        return (
            f"route{'s' * many} {names} can never be used until {earlier.name} is full:"
            f" {earlier.name}, before {them}, takes {what}, up to {earlier.limits()}"
        )


def too_late(table: RoutingTable) -> list[Late]:
    """The routes that come too late, by the earlier one that takes their jobs."""
    if table.round_robin:
        return []
    routes = table.routes
    constraint = table.constraint
    allowed = frozenset[object]() if constraint is None else _conditions(constraint.node)
    #: Alternatives of the routes so far, with the numbers of these.
    taking: list[tuple[frozenset[object], int]] = []
    found: dict[tuple[int, bool], list[Route]] = {}
    for place, route in enumerate(routes):
        if route.takes_none:
            continue
        ways = _alternatives(route.rules.condition)
        takers = [
            {number for way, number in taking if way <= known and routes[number] is not route}
            for known in (way | allowed for way in ways)
        ]
        earlier = min(set.intersection(*takers), default=None)
        if earlier is not None:
            everything = any(way <= allowed for way, number in taking if number == earlier)
            found.setdefault((earlier, everything), []).append(route)
        taking += [(way, place) for way in ways]
    return [
        Late(routes[number], tuple(late), everything)
        for (number, everything), late in found.items()
    ]


def _alternatives(condition: Expression | None) -> list[frozenset[object]]:
    """The alternatives of a condition: who meets all of one meets it."""
    if condition is None:
        return [frozenset()]
    return [_conditions(way) for way in _parts(condition.node, "||")]


def _conditions(node: Node) -> frozenset[object]:
    """What tells the conditions apart that have to be true, without those that always are."""
    return frozenset(_key(one) for one in _parts(node, "&&") if not _is_true(one))


def _key(node: Node) -> object:
    """What equal trees have in common, and no others."""
    return tuple([(type(one), one.key(), len(one.children())) for one in walk(node)])


def _parts(node: Node, operator: str) -> list[Node]:
    """The operands of a chain of one operator."""
    found: list[Node] = []
    stack = [node]
    while stack:
        top = bare(stack.pop())
        if isinstance(top, Binary) and top.operator == operator:
            stack += [top.right, top.left]
        else:
            found.append(top)
    return found


def _is_true(node: Node) -> bool:
    """Is a condition true whatever the job is?"""
    if any(True for _ in _references(node)):
        return False
    value = evaluate(node, Ad(), context=EvalContext())
    return value.__class__ in (bool, int, float) and bool(value)


def _references(node: Node) -> Iterable[Node]:
    return (one for one in walk(node) if isinstance(one, Reference | Call))
