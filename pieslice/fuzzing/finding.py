"""Describes a counterexample: steps, the values that were read, the clause responsible.

Decides what is said of one evaluation; which clause of an expression decided.

Inputs: ``Readings``.  Outputs: ``BrokenProperty``, ``EvaluationStep``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from attr import frozen

from classad.analysis.explain import explain
from classad.errors import ClassAdParseError
from classad.formats.unparse import unparse, unparse_value
from classad.syntax.nodes import Node
from pieslice.fuzzing.case import FuzzCase
from pieslice.fuzzing.schema import AdValue, value_text
from policy.language.expressions import parse

if TYPE_CHECKING:
    from pieslice.fuzzing.readings import Place, Readings


@frozen
class EvaluationStep:
    """One evaluation.

    ``at``: seconds after the first one.  ``my``, ``target``: what was read of each ad, as text;
    ``added``: names of those that the negotiator adds.  ``value``: empty if nothing was evaluated.
    ``sentence``: what follows.  ``side``: what MY is.  ``policy``: another one than is studied;
    ``define``: the text of a macro that none defines.
    """

    at: int
    now: int
    macro: str
    my: dict[str, str]
    target: dict[str, str]
    added: frozenset[str]
    value: str
    sentence: str
    policy: str = ""
    side: str = "slot"
    define: str = ""


@frozen(eq=False)
class BrokenProperty:
    """A property that does not hold, with the situation in which it does not.

    ``macro``: the expression responsible, ``place`` its file and line, ``clause`` the part of it
    that decides.
    """

    property: str
    macro: str
    place: str
    clause: str
    says: str
    steps: tuple[EvaluationStep, ...]
    case: FuzzCase

    def key(self) -> tuple[str, str]:
        """What makes two findings the same trouble."""
        return self.property, self.macro


def step(macro: str, read: Readings, sentence: str, since: int) -> EvaluationStep:
    """The step of evaluating an expression."""
    mine, other = (
        {name: value_text(value) for name, value in values.items()}
        for values in (read.my, read.target)
    )
    now = int(read.context.now or 0)
    value = unparse_value(read.value)
    return EvaluationStep(now - since, now, macro, mine, other, read.added, value, sentence)


def unconditional(macro: str, sentence: str, now: int, since: int) -> EvaluationStep:
    """The step of a condition that is set to nothing: there is nothing to evaluate."""
    return EvaluationStep(now - since, now, macro, {}, {}, frozenset(), "", sentence)


def compared(
    macro: str,
    readings: Sequence[Readings],
    sentences: Sequence[str],
    since: int,
    kept: frozenset[str] = frozenset(),
) -> tuple[EvaluationStep, ...]:
    """Steps that all show what matters in one of them, so that they can be compared."""
    none: frozenset[Place] = frozenset()
    shown = none.union(*(each.mattering(kept) for each in readings))
    return tuple(
        step(macro, each.only(shown), sentence, since)
        for each, sentence in zip(readings, sentences, strict=True)
    )


def deciding_clause(read: Readings, text: str) -> str:
    """The clause that makes a condition true; the part to blame for undefined or error.

    ``text``: what the expression was parsed from.
    """
    if read.value is True:
        node = read.enough().node
    else:
        cause = explain(read.tree, *read.ads(), context=read.context).first_cause()
        node = read.tree.node if cause is None else cause.node
    written = text[node.start : node.end]
    # A definition of an attribute has a text of its own; its places say nothing about this one.
    same = written.strip() and _same(written, node)
    return " ".join((written if same else unparse(node)).split())


def _same(written: str, node: Node) -> bool:
    try:
        return unparse(parse(written).node) == unparse(node)
    except ClassAdParseError:
        return False


def kind_of(value: AdValue) -> str:
    """The kind of a value in words."""
    return {bool: "a boolean", int: "an integer", float: "a real", str: "a string"}.get(
        value.__class__, value_text(value)
    )
