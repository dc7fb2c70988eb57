"""Writes an explanation as text and as data.

The text has a line for each node (expression, value, where it was found) and the reason in words.
Lines that would tell nothing are left out of the text, not of the data: parentheses have the value
of what they enclose, ``MY`` and ``TARGET`` are part of the reference, ``a && b && c`` is one node
with three operands.

Inputs: an ``Explanation``.  Outputs: lines; dictionaries of plain values.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple, NotRequired, TypedDict

from attr import frozen

from classad.analysis.parts import TEXT_WIDTH, WIDTH, ShownPart, aligned, cut, wrapped
from classad.evaluation.functions import InlineForm, lookup_function
from classad.formats.unparse import type_name, unparse, unparse_value
from classad.language.names import SIDES, fold_name
from classad.language.operators import GUARDS, LOGIC
from classad.language.values import ERROR, UNDEFINED, ClassAdValue
from classad.syntax import nodes
from classad.syntax.nodes import Node

#: Members and the like shown below a node.
MAX_INNER: Final = 12
NO_TARGET: Final = "there is no TARGET"


class ReasonText(NamedTuple):
    """A sentence (without its end) and what to write instead."""

    text: str
    help: str | None = None


# --- the tree -------------------------------------------------------------------------------------


class _Tree:
    """A tree as it is shown; a definition that was shown before is not shown again."""

    def __init__(self, old: bool) -> None:
        self.old = old
        self.shown: set[tuple[int, str]] = set()

    def part(self, item: Explanation, lead: str = "") -> ShownPart:
        """A node and all below it; ``lead`` stands before the node's text."""
        node = item.node
        while isinstance(node, nodes.Parens) and item.children:
            item = item.children[0]
            node = item.node
        text = unparse(node, old=self.old).lstrip()
        value = self.value(item)
        below, remark = self.below(item)
        literal = isinstance(node, nodes.Literal) and value == text
        parts = [self.part(part, mark) for part, mark in below[:MAX_INNER]]
        if len(below) > MAX_INNER:
            parts.append(ShownPart(f"... and {len(below) - MAX_INNER} more"))
        return ShownPart(lead + text, "" if literal else value, remark, tuple(parts))

    def value(self, item: Explanation) -> str:
        """The value, or why there is none."""
        if item.outcome == "evaluated":
            return unparse_value(item.value, old=self.old)
        return item.outcome

    def below(self, item: Explanation) -> tuple[list[tuple[Explanation, str]], str]:
        """What is shown below a node, each with its mark, and the remark behind its value."""
        below = [(child, "") for child in operands(item) if not is_scope_name(child)]
        remark = item.fault or ""
        if any(map(is_without_side, item.children)):
            remark = NO_TARGET
        lookup = item.lookup
        if lookup is not None:
            remark = where(item, lookup)
            definition = lookup.definition
            if definition is not None:
                key = (id(definition.node), self.value(definition))
                if key in self.shown and definition.parts():
                    remark += ", as above"
                else:
                    self.shown.add(key)
                    below.append((definition, "= "))
        return below + [(part, "= ") for part in item.inner], remark


def operands(item: Explanation) -> list[Explanation]:
    """The operands of a node; of ``a && b && c`` and ``a || b || c`` all of the chain."""
    found = list(item.children)
    symbol = getattr(item.node, "operator", None)
    while symbol in LOGIC and found and getattr(found[0].node, "operator", None) == symbol:
        if not found[0].children:
            break
        found[:1] = found[0].children
    return found


def is_without_side(item: Explanation) -> bool:
    """Whether it is the ``TARGET`` of a reference where there is none."""
    return item.lookup is not None and item.lookup.found is None and is_missing_side(item.node)


def is_scope_name(item: Explanation) -> bool:
    """Whether it is the ``MY`` or ``TARGET`` of a reference."""
    if item.lookup is None or not isinstance(item.node, nodes.Reference):
        return False
    return item.lookup.found == BUILT_IN or is_without_side(item)


def where(item: Explanation, lookup: Lookup) -> str:
    """Where a name was found, or that it was not."""
    if lookup.found is None:
        return missing(item, lookup)
    if lookup.found == BUILT_IN:
        return BUILT_IN
    return f"in {lookup.found}" + (", refers to itself" if lookup.cycle else "")


def missing(item: Explanation, lookup: Lookup) -> str:
    """In which ads a name is not."""
    if is_missing_side(item.node):
        return NO_TARGET
    places = lookup.searched
    if not places:
        return "not found"
    if len(places) == 1:
        return f"not in {places[0]}"
    if len(places) == 2:
        return f"in neither {places[0]} nor {places[1]}"
    return f"in none of {', '.join(places[:-1])} and {places[-1]}"


# --- the reason -----------------------------------------------------------------------------------


def because(explanation: Explanation) -> ReasonText | None:
    """Why a value is undefined or error; None for other values."""
    cause = explanation.first_cause()
    if cause is None:
        return None
    if cause.fault is not None:
        return ReasonText(cause.fault, _meant(cause))
    if isinstance(cause.node, nodes.Reference):
        return _reference_reason(cause, cause.node)
    value, text = type_name(cause.value), cut(cause.text.lstrip(), TEXT_WIDTH)
    if isinstance(cause.node, nodes.Literal):
        return ReasonText(f"the expression says `{text}`")
    kinds = [part.value for part in cause.children if part.outcome == "evaluated"]
    if _divides_by_zero(cause.node, kinds):
        return ReasonText(f"`{text}` divides by zero")
    if isinstance(cause.node, nodes.Subscript) and cause.value is UNDEFINED:
        return ReasonText(f"`{text}` selects what is not there")
    if not kinds:
        return ReasonText(f"`{text}` is {value}")
    what = _operation(cause.node)
    return ReasonText(f"{what} gives {value} for {_listed([_with_article(v) for v in kinds])}")


def slips(explanation: Explanation, cause: Explanation | None) -> Iterator[ReasonText]:
    """Names found nowhere that are near one that exists, other than the reason itself.

    A name that is asked whether it is undefined may be meant as it is.
    """
    reported = {_slip_key(part) for item in explanation.walk() for part in _guarded(item)}
    if cause is not None:
        reported.add(_slip_key(cause))
    for part in explanation.walk():
        if part.suggestion is None or _slip_key(part) in reported:
            continue
        reported.add(_slip_key(part))
        if isinstance(part.node, nodes.Reference):
            yield _reference_reason(part, part.node)
        else:
            yield ReasonText(part.fault or "", _meant(part))


def _guarded(item: Explanation) -> tuple[Explanation, ...]:
    """The operands that a node is prepared to find undefined."""
    node = item.node
    if isinstance(node, nodes.Binary) and node.operator in GUARDS:
        return item.children
    function = lookup_function(node.name) if isinstance(node, nodes.Call) else None
    is_guard = function is not None and function.form is InlineForm.IS_UNDEFINED
    return item.children if is_guard else ()


def _slip_key(part: Explanation) -> tuple[str, str | None]:
    name = part.node.name if isinstance(part.node, nodes.Reference | nodes.Call) else ""
    return name, part.suggestion


def _meant(part: Explanation) -> str | None:
    return None if part.suggestion is None else f"did you mean `{part.suggestion}`?"


def _reference_reason(part: Explanation, node: nodes.Reference) -> ReasonText:
    lookup = part.lookup
    if lookup is None:
        return _selection_reason(part, node)
    if lookup.found is None:
        text = missing(part, lookup)
        if not is_missing_side(node):
            text = f"`{node.name}` {'was' if text == 'not found' else 'is'} {text}"
        if lookup.elsewhere is not None:
            return ReasonText(text, f"{lookup.elsewhere} has a `{node.name}`")
        return ReasonText(text, _meant(part))
    if lookup.cycle:
        return ReasonText(f"`{node.name}` in {lookup.found} refers to itself")
    return ReasonText(f"`{node.name}` in {lookup.found} is {type_name(part.value)}")


def _selection_reason(part: Explanation, node: nodes.Reference) -> ReasonText:
    """A name selected from something that has none."""
    base = part.children[0] if part.children else None
    if base is None or base.outcome != "evaluated":
        return ReasonText(f"`{node.name}` is {type_name(part.value)}")
    return ReasonText(f"`{cut(base.text, TEXT_WIDTH)}` is {_with_article(base.value)}, not an ad")


def _divides_by_zero(node: nodes.Node, operands: Sequence[object]) -> bool:
    if not isinstance(node, nodes.Binary) or node.operator not in "/%" or len(operands) != 2:
        return False
    return all(isinstance(operand, int | float) for operand in operands) and operands[1] == 0


def _operation(node: nodes.Node) -> str:
    if isinstance(node, nodes.Call):
        return f"`{node.name}`"
    if isinstance(node, nodes.Unary | nodes.Binary):
        return f"`{node.operator}`"
    return f"`{cut(unparse(node), TEXT_WIDTH)}`"


def _with_article(value: object) -> str:
    kind = type_name(value)
    if kind in ("undefined", "error"):
        return kind
    kind = "ad" if kind == "classad" else kind
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


# --- as data --------------------------------------------------------------------------------------


class LookupData(TypedDict):
    """A ``Lookup`` as data."""

    found: str | None
    searched: list[str]
    cycle: bool
    elsewhere: str | None
    definition: ExplanationData | None


class ExplanationData(TypedDict):
    """An ``Explanation`` as data: the type of the value and its ClassAd text, None without one.

    ``because`` and ``help``: why the whole expression is undefined or error.
    """

    expression: str
    span: list[int]
    outcome: Outcome
    type: str | None
    value: str | None
    because: NotRequired[str | None]
    help: NotRequired[str | None]
    lookup: NotRequired[LookupData]
    fault: NotRequired[str]
    suggestion: NotRequired[str]
    operands: NotRequired[list[ExplanationData]]
    inner: NotRequired[list[ExplanationData]]


def _node(item: Explanation, old: bool) -> ExplanationData:
    evaluated = item.outcome == "evaluated"
    data: ExplanationData = {
        "expression": unparse(item.node, old=old),
        "span": list(item.span),
        "outcome": item.outcome,
        "type": type_name(item.value) if evaluated else None,
        "value": unparse_value(item.value, old=old) if evaluated else None,
    }
    lookup = item.lookup
    if lookup is not None:
        definition = lookup.definition
        data["lookup"] = {
            "found": lookup.found,
            "searched": list(lookup.searched),
            "cycle": lookup.cycle,
            "elsewhere": lookup.elsewhere,
            "definition": None if definition is None else _node(definition, old),
        }
    if item.fault is not None:
        data["fault"] = item.fault
    if item.suggestion is not None:
        data["suggestion"] = item.suggestion
    if item.children:
        data["operands"] = [_node(part, old) for part in item.children]
    if item.inner:
        data["inner"] = [_node(part, old) for part in item.inner]
    return data


#: Where a name is found that is no attribute.
BUILT_IN: Final = "built in"


#: ``not shown``: evaluated, but beyond the depth or the size that an explanation may have.
Outcome = Literal["evaluated", "not evaluated", "failed", "not shown"]


@frozen(eq=False)
class Lookup:
    """Where the name of a reference was looked for.

    ``found``: the ad that has it, None if none does; ``built in`` for a name such as ``MY`` or
    ``CurrentTime`` that is no attribute.  ``searched``: the ads that were searched in vain, in
    order.  ``elsewhere``: the other ad of the match, if that has the name.
    ``definition``: the attribute's expression, None if it is a plain value.  ``cycle``:
    that expression was under way already, which makes it undefined.
    """

    found: str | None
    searched: tuple[str, ...] = ()
    definition: Explanation | None = None
    cycle: bool = False
    elsewhere: str | None = None


@frozen(eq=False, repr=False)
class Explanation:
    """One node of an expression and what became of it.

    ``value``: the ClassAd value; the error value if the evaluation failed here, None if the node
    was not evaluated.  ``children``: the operands, in order.  ``inner``: what else was evaluated
    for it, such as the member of a list that a subscript selects.  ``lookup``: for references.
    ``suggestion``: the name that was probably meant.  ``fault``: what is wrong with a call, or why
    the evaluation failed.
    """

    node: Node
    outcome: Outcome
    value: ClassAdValue | None = None
    children: tuple[Explanation, ...] = ()
    inner: tuple[Explanation, ...] = ()
    lookup: Lookup | None = None
    suggestion: str | None = None
    fault: str | None = None

    @property
    def text(self) -> str:
        """The node as text."""
        return unparse(self.node)

    @property
    def span(self) -> tuple[int, int]:
        """The node's place in the text it was parsed from, half-open."""
        return self.node.start, self.node.end

    @property
    def ok(self) -> bool:
        """Whether the evaluation came to an end."""
        return self.outcome != "failed"

    def walk(self) -> Iterator[Explanation]:
        """This explanation and all inside it, definitions of attributes too."""
        yield self
        for part in self.parts():
            yield from part.walk()

    def parts(self) -> tuple[Explanation, ...]:
        """The explanations directly inside this one."""
        lookup = self.lookup
        definition = () if lookup is None or lookup.definition is None else (lookup.definition,)
        return (*self.children, *definition, *self.inner)

    def first_cause(self) -> Explanation | None:
        """The innermost node to blame if the value is undefined or error, else None."""
        if self.value is not UNDEFINED and self.value is not ERROR:
            return None
        chosen = isinstance(self.node, nodes.Binary) and self.node.operator == "?:"
        for part in self.children[::-1] if chosen else self.parts():
            if part.value is self.value:
                return part.first_cause()
        return self

    def missing(self) -> list[Explanation]:
        """The references that were found in no ad."""
        return [
            part for part in self.walk() if part.lookup is not None and part.lookup.found is None
        ]

    def render(self, old: bool = False, width: int = WIDTH) -> str:
        """The tree, the reason for undefined or error, and names that may be slips."""
        said: list[str] = []
        cause, reason = self.first_cause(), because(self)
        if reason is not None:
            said.append(f"{type_name(self.value)} because {reason.text}")
            said += [] if reason.help is None else [f"  help: {reason.help}"]
        for other in slips(self, cause):
            said += [f"note: {other.text}", f"  help: {other.help}"]
        beside = (line for text in said for line in wrapped(text, width))
        return "\n".join((*aligned(self.shown(old), width), *beside))

    def shown(self, old: bool = False) -> ShownPart:
        """The tree as it is shown."""
        return _Tree(old).part(self)

    def to_dict(self, old: bool = False) -> ExplanationData:
        """The tree and the reason, as data that the standard json module can write.

        Values are printed in ClassAd form beside their type.
        """
        reason = because(self)
        return {
            **_node(self, old),
            "because": None if reason is None else reason.text,
            "help": None if reason is None else reason.help,
        }

    def __str__(self) -> str:
        return self.render()

    def __repr__(self) -> str:
        return f"<Explanation {self.text!r}: {self.value!r}>"

    def _repr_html_(self) -> str:
        from html import escape

        return f"<pre>{escape(self.render())}</pre>"


def is_missing_side(node: Node) -> bool:
    """Whether a reference that leads nowhere is to the other ad: there is no match then."""
    return (
        isinstance(node, nodes.Reference)
        and node.base is None
        and SIDES.get(fold_name(node.name)) == "target"
    )
