"""Describes a counterexample: steps, the values that were read, the clause responsible.

Decides what is said of one evaluation; which clause of an expression decided.

Inputs: ``Readings``.  Outputs: ``BrokenProperty``, ``EvaluationStep``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from attr import frozen

from classad import ClassAd
from classad.ads.expression import Expression
from classad.analysis.explain import explain
from classad.errors import ClassAdParseError
from classad.evaluate import EvalContext, evaluate
from classad.formats.unparse import unparse, unparse_value
from classad.language.values import UNDEFINED
from classad.syntax.nodes import Binary, Call, Literal, Node, Reference, walk
from pieslice.fuzzing.case import FuzzCase
from pieslice.fuzzing.schema import AdValue, value_text
from policy.attributes import DATE, find_attribute
from policy.ephemeral import find_ephemeral
from policy.language.expressions import parse
from policy.lint.trees import names, number, sides, takes_pattern

if TYPE_CHECKING:
    from pieslice.fuzzing.readings import Place, Readings

#: What people think of where a job lacks an attribute; of a date, now.
_NOTHING: Final[tuple[AdValue, ...]] = (0, False, "")
#: So many attributes may be missing at once.
_MISSING: Final = 4


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


def undefined_matters(
    tree: Expression, job: ClassAd, slot: ClassAd | None, context: EvalContext, left: int = _MISSING
) -> bool:
    """Is a condition undefined where it is meant to be true?

    Daemons take undefined for false.  That is what is meant where the condition is false, too, of a
    job that has 0, False or an empty text for what it lacks; it is not of ``Dept != "physics"``.
    ``slot``: the slot is MY and the job TARGET; None: the job is alone.
    """
    if evaluate(tree, *_ads(job, slot), context=context) is not UNDEFINED:
        return False
    if _true_of_nothing(tree, job, slot, context, _MISSING):
        return True
    node = _lacking(tree, job, slot, context)
    given = _compared_with(tree, node.name) if left and node is not None else ()
    return any(
        undefined_matters(tree, _with(job, node.name, value), slot, context, left - 1)
        for value in given
        if node is not None
    )


def _true_of_nothing(
    tree: Expression, job: ClassAd, slot: ClassAd | None, context: EvalContext, left: int
) -> bool:
    """Is it true, or still undefined, with nothing in the place of what the job lacks?"""
    value = evaluate(tree, *_ads(job, slot), context=context)
    if value is not UNDEFINED:
        return value is True or (value.__class__ in (int, float) and value != 0)
    node = _lacking(tree, job, slot, context)
    if not left or node is None:
        return True
    return any(
        _true_of_nothing(tree, _with(job, node.name, value), slot, context, left - 1)
        for value in _nothing(node.name, context)
        # An empty pattern fits everything.
        if value != "" or node.name.casefold() not in _patterns(tree)
    )


def _patterns(tree: Expression) -> set[str]:
    """The case-folded names of the attributes that are regular expressions in it."""
    calls = (node for node in walk(tree.node) if isinstance(node, Call) and node.args)
    return {name for call in calls if takes_pattern(call) for name in names(call.args[0])}


def _ads(job: ClassAd, slot: ClassAd | None) -> tuple[ClassAd, ClassAd | None]:
    return (job, None) if slot is None else (slot, job)


def _lacking(
    tree: Expression, job: ClassAd, slot: ClassAd | None, context: EvalContext
) -> Reference | None:
    """The attribute of the job that makes it undefined; None if that is not the job's to have."""
    cause = explain(tree, *_ads(job, slot), context=context).first_cause()
    node = None if cause is None else cause.node
    return node if isinstance(node, Reference) and _is_of_job(node, slot is None) else None


def _compared_with(tree: Expression, name: str) -> Iterator[AdValue]:
    """Values of an attribute that decide something in an expression."""
    yield True
    for node in walk(tree.node):
        for subject, _, other in sides(node) if isinstance(node, Binary) else ():
            is_it = isinstance(subject, Reference) and subject.name.casefold() == name.casefold()
            if is_it and isinstance(other, Literal):
                yield other.value
            bound = number(other) if is_it else None
            yield from () if bound is None else (bound - 1, bound + 1)


def _is_of_job(node: Reference, alone: bool) -> bool:
    row = find_attribute(node.name)
    if alone or node.scope == "target":
        return True
    if row is None:
        return not node.scope and find_ephemeral(node.name) is None
    return set(row.ads) == {"job"}


def _nothing(name: str, context: EvalContext) -> Iterator[AdValue]:
    row = find_attribute(name)
    if row is not None and row.unit == DATE:
        yield int(context.now or 0)
    else:
        yield from _NOTHING


def _with(ad: ClassAd, name: str, value: AdValue) -> ClassAd:
    copied = ClassAd.copy_of(ad)
    copied.insert(name, value)
    return copied


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
