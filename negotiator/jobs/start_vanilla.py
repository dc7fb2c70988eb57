"""Applies START_VANILLA_UNIVERSE: which jobs a schedd offers, and on which slots it starts them.

In the expression ``JOB`` is the job and ``SLOT``, like everything that the job does not settle, the
slot.  Follows the description of START_VANILLA_UNIVERSE in HTCondor's manual and the vectors.
"""

from __future__ import annotations

from typing import Any, Final

from attr import evolve, fields_dict

from classad import ClassAd
from classad.ads.ad import node_of_value
from classad.ads.expression import Expression
from classad.analysis.flatten import flatten
from classad.evaluate import EvalContext, evaluate
from classad.language.operators import truth
from classad.syntax.nodes import Binary, Node, Parens, Reference, walk

_VANILLA: Final = 5


class VanillaStart:
    """START_VANILLA_UNIVERSE of a schedd, flattened for each of its jobs."""

    def __init__(self, expr: Expression, context: EvalContext) -> None:
        self._context = context
        self._expr = expr
        #: By the identity of the job, which is kept so that it stays its own.
        self._known: dict[int, tuple[ClassAd, bool | Expression]] = {}
        #: What it asks of the request itself, lower-cased.
        self.shown = names_of(expr, "MY")

    def condition(self, job: ClassAd) -> bool | Expression:
        """What slots must be like (TARGET) for a job (MY): anything, or False if none will do."""
        known = self._known.get(id(job))
        if known is None:
            known = self._known[id(job)] = (job, self._flattened(job))
        return known[1]

    def _flattened(self, job: ClassAd) -> bool | Expression:
        if job.get_number("JobUniverse", context=self._context) != _VANILLA:
            return True
        known = ClassAd()
        known.attach("JOB", job)
        flat = flatten(known, self._expr, context=self._context)
        if flat.ok and flat.tree is not None:
            return Expression.from_node(_of_target(flat.tree))
        value = truth(flat.value) if flat.ok else None
        return value if value.__class__ is bool else Expression.from_node(node_of_value(flat.value))

    def allows(self, job: ClassAd, slot: ClassAd) -> bool:
        """Whether the schedd starts a job on a slot that it has been given.

        There is nothing but ``JOB`` and ``SLOT`` then: what is the slot's for the negotiator, as
        plain names are, is undefined for the schedd.
        """
        if self.condition(job) is True:
            return True
        both = ClassAd()
        both.attach("JOB", job)
        both.attach("SLOT", slot)
        return truth(evaluate(self._expr, both, context=self._context)) is True

    def constrain(self, request: ClassAd, job: ClassAd) -> None:
        """Add the condition to what a request requires of slots."""
        condition, required = self.condition(job), request.raw("Requirements")
        if condition.__class__ is Expression and required is not None:
            own = required.node if required.__class__ is Expression else node_of_value(required)
            both = Binary("&&", Parens(own), Parens(condition.node))
            request.insert("Requirements", Expression.from_node(both))


def _of_target(node: Node) -> Node:
    """The same condition, not too deep to be evaluated, with ``TARGET`` for ``SLOT``."""
    if node.__class__ is Reference and _is_scope(node.base, "SLOT"):
        return evolve(node, base=Reference("TARGET"))
    changes: dict[str, Any] = {}
    for name in fields_dict(node.__class__):
        part = getattr(node, name)
        if isinstance(part, Node):
            changes[name] = _of_target(part)
        elif part.__class__ is tuple:
            changes[name] = tuple(_of_target(it) if isinstance(it, Node) else it for it in part)
    return evolve(node, **changes) if changes else node


def names_of(expr: Expression, scope: str) -> frozenset[str]:
    """The attributes, lower-cased, that an expression mentions by a scope such as ``JOB``."""
    return frozenset(
        node.name.lower()
        for node in walk(expr.node)
        if node.__class__ is Reference and _is_scope(node.base, scope)
    )


def _is_scope(node: object, scope: str) -> bool:
    if not isinstance(node, Reference) or node.base is not None or node.absolute:
        return False
    return node.name.lower() == scope.lower()
