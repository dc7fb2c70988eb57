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
from classad.syntax.nodes import Binary, Node, bare, same_tree
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
    allowed = _conditions(table.constraint)
    found: dict[tuple[int, bool], list[Route]] = {}
    for place, route in enumerate(table.routes):
        if route.takes_none:
            continue
        ways = [[*way, *allowed] for way in _alternatives(route.rules.condition)]
        for number, earlier in enumerate(table.routes[:place]):
            if earlier.takes_none or earlier is route:
                continue
            if all(_takes(earlier, way) for way in ways):
                found.setdefault((number, _takes(earlier, allowed)), []).append(route)
                break
    return [
        Late(table.routes[number], tuple(routes), everything)
        for (number, everything), routes in found.items()
    ]


def _takes(route: Route, known: Iterable[Node]) -> bool:
    """Does a route take every job of which some conditions are known to be true?"""
    known = list(known)
    return any(
        all(_is_true(one) or any(same_tree(one, other) for other in known) for one in way)
        for way in _alternatives(route.rules.condition)
    )


def _alternatives(condition: Expression | None) -> list[list[Node]]:
    """The alternatives of a condition, each as the conditions that it consists of."""
    if condition is None:
        return [[]]
    return [_parts(way, "&&") for way in _parts(condition.node, "||")]


def _conditions(condition: Expression | None) -> list[Node]:
    return [] if condition is None else _parts(condition.node, "&&")


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
    from classad.syntax.nodes import Call, Reference, walk

    return (one for one in walk(node) if isinstance(one, Reference | Call))
