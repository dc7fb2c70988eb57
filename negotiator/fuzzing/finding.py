"""A counterexample as it is told: steps, the values that were read, the clause responsible.

What lives here: which attributes of both ads an expression reads, and what they are; which clause
of an expression decided.
Inputs: expressions and decorated ads.  Outputs: ``Finding``, ``Step``.
Never here: whether something is wrong, layout.
"""

from __future__ import annotations

from typing import Any

from attr import frozen

from classad.ad import ClassAd
from classad.errors import ClassAdParseError
from classad.evaluate import EvalContext, evaluate
from classad.explain import explain
from classad.expr import ExprTree
from classad.nodes import Node, Reference, walk
from classad.unparse import unparse, unparse_value
from negotiator.autoclusters import references_of
from negotiator.fuzzing.case import Case
from negotiator.fuzzing.study import clauses, value_text
from policy.ephemeral import find_ephemeral
from policy.expressions import parse


@frozen
class Step:
    """One evaluation.

    ``at``: seconds after the first one.  ``my``, ``target``: what was read of each ad, as text;
    ``added``: names of those that the negotiator adds.  ``tells``: what follows, as a sentence.
    ``side``: what MY is.  ``policy``: another one than is studied; ``define``: the text of a macro
    that none defines.
    """

    at: int
    now: int
    macro: str
    my: dict[str, str]
    target: dict[str, str]
    added: frozenset[str]
    value: str
    tells: str
    policy: str = ""
    side: str = "slot"
    define: str = ""


@frozen(eq=False)
class Finding:
    """A property that does not hold, with the situation in which it does not.

    ``macro``: the expression responsible, ``place`` its file and line, ``clause`` the part of it
    that decides.
    """

    property: str
    macro: str
    place: str
    clause: str
    says: str
    steps: tuple[Step, ...]
    case: Case

    def key(self) -> tuple[str, str]:
        """What makes two findings the same trouble."""
        return self.property, self.macro


def step(
    macro: str,
    tree: ExprTree,
    my: ClassAd,
    target: ClassAd | None,
    context: EvalContext,
    tells: str,
    since: int,
) -> Step:
    """The step of evaluating an expression."""
    mine, other, added = readings(tree, my, target, context)
    now = int(context.now or 0)
    value = unparse_value(evaluate(tree, my, target, context=context))
    return Step(now - since, now, macro, mine, other, frozenset(added), value, tells)


def readings(
    tree: ExprTree, my: ClassAd, target: ClassAd | None, context: EvalContext
) -> tuple[dict[str, str], dict[str, str], set[str]]:
    """What an expression reads of MY and of TARGET, and which of it the negotiator adds."""
    ads: dict[str, ClassAd] = {"my": my, "target": target or ClassAd()}
    found: dict[str, dict[str, str]] = {"my": {}, "target": {}}
    added: set[str] = set()
    todo = [("my", tree)]
    while todo:
        side, current = todo.pop()
        for where, name in _places(current, side, ads):
            raw = ads[where].raw(name)
            if raw is None or name in found[where]:
                continue
            if find_ephemeral(name) is not None:
                added.add(name)
                raw = ads[where].evaluate_attr(name, None, context)
            found[where][name] = value_text(raw)
            if raw.__class__ is ExprTree:
                todo.append((where, raw))
    return dict(sorted(found["my"].items())), dict(sorted(found["target"].items())), added


def _places(tree: ExprTree, side: str, ads: dict[str, ClassAd]) -> list[tuple[str, str]]:
    """Where the names of an expression are found."""
    refs = references_of(tree.node)
    spelled = {n.name.casefold(): n.name for n in walk(tree.node) if isinstance(n, Reference)}
    other = "target" if side == "my" else "my"
    found = []
    for key in sorted(refs.bare | refs.mine | refs.target):
        if key in refs.mine or (key in refs.bare and ads[side].raw(key) is not None):
            found.append((side, spelled[key]))
        if key in refs.target or (key in refs.bare and ads[side].raw(key) is None):
            found.append((other, spelled[key]))
    return found


def deciding_clause(
    tree: ExprTree, text: str, my: ClassAd, target: ClassAd | None, context: EvalContext
) -> str:
    """The clause that makes a condition true; the part to blame for undefined or error.

    ``text``: what the expression was parsed from.
    """
    node = tree.node
    if evaluate(tree, my, target, context=context) is True:
        true = (c for c in clauses(tree) if evaluate(c, my, target, context=context) is True)
        node = next(true, tree).node
    else:
        cause = explain(tree, my, target, context=context).first_cause()
        node = node if cause is None else cause.node
    written = text[node.start : node.end]
    # A definition of an attribute has a text of its own; its places say nothing about this one.
    same = written.strip() and _same(written, node)
    return " ".join((written if same else unparse(node)).split())


def _same(written: str, node: Node) -> bool:
    try:
        return unparse(parse(written).node) == unparse(node)
    except ClassAdParseError:
        return False


def kind_of(value: Any) -> str:
    """The kind of a value in words."""
    return {bool: "a boolean", int: "an integer", float: "a real", str: "a string"}.get(
        value.__class__, value_text(value)
    )
