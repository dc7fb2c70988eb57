"""Checks for slips of the pen: operators that bind otherwise than they look, exchanged arguments.

Follows: precedence of the ClassAd language; declarations of its functions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from classad.errors import Diagnostic, Edit
from classad.evaluation.functions import Form, lookup_function
from classad.language.operators import BINARY, COMPARISONS, LOGIC
from classad.syntax.nodes import (
    Binary,
    Call,
    Conditional,
    ListExpr,
    Literal,
    Node,
    Reference,
    Unary,
    bare,
    walk,
)
from policy.attributes import find_attribute
from policy.knobs.declaration import Kind
from policy.knobs.reading import behind_expression
from policy.language.expressions import text_behind
from policy.language.numbers import saturated
from policy.lint.expressions import MacroExpression
from policy.lint.finding import WARNING, Finding
from policy.lint.trees import comparisons, names, references, takes_pattern
from policy.lint.view import Setting, View
from policy.values.domain import single_number, single_value

PRECEDENCE: Final = Finding(
    "P420",
    WARNING,
    "an operator that binds otherwise than it looks",
    "`!` takes the next operand only, `*` comes before `=?=`, and `&&` before `||`. Where blanks or"
    " line breaks say otherwise, or a part is an error that way, parentheses are missing.",
    'START = !TARGET.Owner == "alice"\n',
    'START = TARGET.Owner != "alice"\n',
)
EXCHANGED: Final = Finding(
    "P421",
    WARNING,
    "arguments in the wrong order",
    "stringListMember() and member() take the item before the list, regexp() the pattern before the"
    " text, substr() the text before the numbers, and ifThenElse() the condition first.",
    'START = stringListMember("alice,bob", TARGET.Owner)\n',
    'START = stringListMember(TARGET.Owner, "alice,bob")\n',
)
WHOLE_DIVISION: Final = Finding(
    "P422",
    WARNING,
    "a division of integers that loses everything",
    "Between integers `/` drops the fraction: 1/2 is 0, and a part over its whole is 0 or 1.",
    "RANK = 1/2 * TARGET.JobPrio\n",
    "RANK = 1/2.0 * TARGET.JobPrio\n",
)
EXCHANGED_ASSIGNMENT: Final = Finding(
    "P423",
    WARNING,
    "`=+` in place of `+=`",
    "`X =+ Y` sets X to `+ Y`; what X was before is lost.",
    "HasMatlab = True\nSTARTD_ATTRS =+ HasMatlab\n",
    "HasMatlab = True\nSTARTD_ATTRS = $(STARTD_ATTRS) HasMatlab\n",
)


#: What a name has before it when it is the whole, and what it is a part of.
_WHOLES: Final = ("total", "totalslot", "detected")
#: Units of what preemption compares.
_OF_PRIORITIES: Final = ("priority", "weighted slots")
_NUMBERS: Final = ("integer", "real")
#: Units of things that are counted, few of each.
_COUNTED: Final = ("cpus", "GPUs")
_Found = tuple[Finding, str, Node, str | None]


def check_slips(view: View, expressions: Iterable[MacroExpression]) -> Iterator[Diagnostic]:
    """Everything about slips."""
    for setting in view.settings:
        if _is_exchanged_assignment(setting):
            message = f"`{setting.macro} =+` sets it anew"
            found = EXCHANGED_ASSIGNMENT.on(setting.entry, message, "did you mean `+=`?")
            if found.source is not None:
                found.edit = Edit(found.source, found.start - 1, found.start + 1, "+=")
            yield found
        if setting.knob is not None and setting.knob.kind is Kind.DOUBLE:
            yield from _divided(setting)
    for one in expressions:
        yield from _behind(one)
        for kind, message, node, help_text in _findings(one):
            yield one.say(kind, message, node, help_text)


def _behind(one: MacroExpression) -> Iterator[Diagnostic]:
    """What follows a conditional that is the whole expression."""
    found = text_behind(one.text) if isinstance(one.tree, Conditional) else None
    if found is not None:
        name = one.setting.macro if one.part is None else one.name
        yield behind_expression(name, found, one.place(found.start, found.end))


def _is_exchanged_assignment(setting: Setting) -> bool:
    entry = setting.entry
    if entry.source is None or not (entry.written or entry.raw).startswith("+"):
        return False
    return entry.source.text[: entry.start].endswith("=")


_COMMAS: Final = re.compile(r"[,\s]")
_INTEGERS: Final = re.compile(r"(?<![\d.])(\d+)\s*/\s*(\d+)(?![\d.])")


def _divided(setting: Setting) -> Iterator[Diagnostic]:
    """A number that is written as a quotient of integers."""
    found = _INTEGERS.search(setting.entry.raw)
    over, under = (0, 0) if found is None else map(saturated, found.groups())
    if found is None or not under or not over % under:
        return
    message = f"`{found[0]}` is {over // under}: both are integers"
    yield WHOLE_DIVISION.on(setting.entry, message, "write one of them as a real, as in `1.0`")


def _findings(one: MacroExpression) -> Iterator[_Found]:
    for node in walk(one.tree):
        if isinstance(node, Binary):
            found = _torn(one, node) or _precedence(one, node) or _division(one, node)
            if found is not None:
                yield found
        elif isinstance(node, Call):
            found = _exchanged(one, node)
            if found is not None:
                yield found


# --- precedence -----------------------------------------------------------------------------------


def _precedence(one: MacroExpression, node: Binary) -> _Found | None:
    if node.operator in COMPARISONS:
        found = _negated(one, node) or _multiplied(one, node) or _truth_as_number(one, node)
        if found is not None:
            return found
    if node.operator == "||" and _is_alternative(node):
        message = "`&&` binds before `||`, so it goes with the second alternative only"
        return PRECEDENCE, message, node, "say with parentheses what is meant"
    for child in (node.left, node.right):
        if isinstance(child, Binary) and _looks_looser(one, node, child):
            message = f"`{child.operator}` binds before `{node.operator}`, although it looks looser"
            return PRECEDENCE, message, node, "say with parentheses what is meant"
    return None


def _torn(one: MacroExpression, node: Binary) -> _Found | None:
    """An operator in a macro that a tighter one outside of it tears apart.

    With ``X = A || B`` and ``C && $(X)`` it is ``(C && A) || B``.
    """
    for child, edge in ((node.left, node.left.end - 1), (node.right, node.right.start)):
        if not isinstance(child, Binary) or child.operator == node.operator:
            continue
        inside = one.macros[edge]
        far = child.start if child is node.left else child.end - 1
        if not inside or _begins_with(one.macros[far], inside):
            continue
        between = range(node.left.end, node.right.start)
        if all(
            _begins_with(one.macros[at], inside) for at in between if not one.text[at].isspace()
        ):
            name = inside[-1].partition("@")[0]
            message = f"`{node.operator}` in {name} binds after the `{child.operator}` outside"
            return PRECEDENCE, message, node, f"put the value of {name} in parentheses"
    return None


def _begins_with(path: tuple[str, ...], start: tuple[str, ...]) -> bool:
    return path[: len(start)] == start


def _is_alternative(node: Binary) -> bool:
    """``State == 1 || State == 5 && X``: is one attribute equal to this or that?"""
    right = node.right
    while isinstance(right, Binary) and right.operator == "&&":
        right = right.left
    if right is node.right or not isinstance(right, Binary) or not isinstance(node.left, Binary):
        return False
    sides = node.left, right
    return all(side.operator == "==" for side in sides) and bare(node.left.left) == bare(right.left)


def _negated(one: MacroExpression, node: Binary) -> _Found | None:
    """``!State == "Claimed"``."""
    left = node.left
    if not isinstance(left, Unary) or left.operator != "!" or _is_condition(one, node.right):
        return None
    message = f"`!` takes `{one.shown(left.operand)}` only, not the comparison"
    return PRECEDENCE, message, left, f"write `!({one.shown(left.operand)} ...)`"


def _is_condition(one: MacroExpression, node: Node) -> bool:
    """Is it true or false, so that a negated value may be compared with it?"""
    value = one.evaluation.alone(node)
    return bool(value.truths) and not value.has_text


def _multiplied(one: MacroExpression, node: Binary) -> _Found | None:
    """``100 * RemoteOwner =?= UNDEFINED``: the product comes first, and is an error."""
    sides = [node.left, node.right]
    while sides:
        side = sides.pop()
        if not isinstance(side, Binary) or BINARY[side.operator].precedence < 9:
            continue
        sides += (side.left, side.right)
        value = one.evaluation.alone(side)
        operands = [one.evaluation.alone(part) for part in (side.left, side.right)]
        texts = [part for part in operands if part.has_text and not part.is_measured]
        if value.error and not value.defined and texts:
            message = f"`{side.operator}` binds before `{node.operator}`, so it gets a string"
            return PRECEDENCE, message, node, "put the comparison in parentheses"
    return None


def _truth_as_number(one: MacroExpression, node: Binary) -> _Found | None:
    """``RemoteUserPrio > (SubmitterUserPrio > 0) * 1.2``: 1 or 0 where a priority is meant."""
    for side, other in ((node.left, node.right), (node.right, node.left)):
        unit = one.evaluation.alone(other).unit
        products = (n for n in walk(side) if isinstance(n, Binary) and n.operator == "*")
        factors = (bare(factor) for product in products for factor in (product.left, product.right))
        for factor in factors if unit in _OF_PRIORITIES else ():
            if not isinstance(factor, Binary) or factor.operator not in COMPARISONS:
                continue
            if any(one.evaluation.alone(ref).unit == unit for ref in references(factor)):
                message = f"`{one.shown(factor)}` counts 1 or 0 here"
                return PRECEDENCE, message, factor, "multiply the value, not the comparison"
    return None


def _looks_looser(one: MacroExpression, node: Binary, child: Binary) -> bool:
    """Has an operator that binds tighter more room around it?"""
    if BINARY[child.operator].precedence <= BINARY[node.operator].precedence:
        return False
    outer, inner = _room(one, node), _room(one, child)
    if outer is None or inner is None:
        return False
    if not outer:
        return bool(inner)
    both_logic = node.operator in LOGIC and child.operator in LOGIC
    return both_logic and "\n" in inner and "\n" not in outer


def _room(one: MacroExpression, node: Binary) -> str | None:
    """The blanks around an operator in the file; None if its operands come from elsewhere."""
    source, start, end = one.spot(node)
    left, right = one.spot(node.left), one.spot(node.right)
    if source is None or left[0] is not source or right[0] is not source:
        return None
    if not start <= left[2] <= right[1] <= end:
        return None
    between = source.text[left[2] : right[1]].strip("()")
    before, found, behind = between.partition(node.operator)
    if not found or before.strip(" \t\r\n\\()") or behind.strip(" \t\r\n\\()"):
        return None
    return before if len(before) < len(behind) else behind if "\n" not in before else before


# --- arguments --------------------------------------------------------------------------------


def _exchanged(one: MacroExpression, node: Call) -> _Found | None:
    function, args = lookup_function(node.name), [bare(arg) for arg in node.args]
    if function is None:
        return None
    name = node.name.casefold()
    searches = name.endswith("member") and len(args) >= 2
    lists = searches and (
        isinstance(args[0], ListExpr) if function.family == "lists" else _is_list(args[0])
    )
    if lists and isinstance(args[1], Reference):
        return EXCHANGED, f"`{node.name}` takes the item before the list", node, None
    if function.family == "lists" and len(args) == 2 and _is_list(args[1]) and searches:
        message = f"`{node.name}` takes a list, and this is a text"
        return EXCHANGED, message, node, "stringListMember() takes a text with commas"
    separator = _other_separator(args[1]) if searches and len(args) == 2 else None
    if separator is not None:
        message = f"`{node.name}` takes a list with commas or blanks, and this is one item"
        return EXCHANGED, message, node, f'its third argument may say `"{separator}"`'
    if name == "substr" and len(args) >= 2 and is_number(args[0]) and not is_number(args[-1]):
        return EXCHANGED, f"`{node.name}` takes the text before the numbers", node, None
    if takes_pattern(node) and len(args) >= 2:
        texts = isinstance(args[0], Reference), isinstance(args[1], Literal)
        if all(texts) and _is_text(args[0]):
            return EXCHANGED, f"`{node.name}` takes the pattern before the text", node, None
    if function.form is Form.CHOICE and len(args) == 3:
        first = one.evaluation.alone(args[0])
        if isinstance(args[0], Literal) and first.has_text:
            return EXCHANGED, f"`{node.name}` takes the condition first", node, None
        if isinstance(args[0], Literal) and first.is_measured and _is_comparison(args[1:]):
            return EXCHANGED, f"`{node.name}` takes the condition first", node, None
    return None


def has_number(node: Node) -> bool:
    """Is it an attribute that is a number?"""
    row = find_attribute(node.name) if isinstance(node, Reference) else None
    return row is not None and row.type in _NUMBERS


def is_number(node: Node) -> bool:
    return isinstance(node, Literal) and node.value.__class__ in (int, float)


def _is_list(node: Node) -> bool:
    return isinstance(node, Literal) and isinstance(node.value, str) and "," in node.value


def _other_separator(node: Node) -> str | None:
    """What stands between the items of a list instead of commas or blanks."""
    text = node.value if isinstance(node, Literal) else None
    if not isinstance(text, str) or _COMMAS.search(text):
        return None
    return next((sign for sign in ";|" if sign in text.strip(sign)), None)


def _is_text(node: Node) -> bool:
    row = find_attribute(node.name) if isinstance(node, Reference) else None
    return row is not None and row.type == "string"


def _is_comparison(nodes: list[Node]) -> bool:
    return any(isinstance(node, Binary) and node.operator in COMPARISONS for node in nodes)


# --- division -------------------------------------------------------------------------------------


def _division(one: MacroExpression, node: Binary) -> _Found | None:
    if node.operator != "/":
        return None
    value = one.evaluation.alone(node)
    top = one.evaluation.alone(node.left)
    if value.whole == (0, 0) and value.real is None and top.whole != (0, 0):
        message = f"`{one.shown(node)}` is 0: both are integers"
        return WHOLE_DIVISION, message, node, "write one of them as a real, as in `1.0`"
    if _is_compared_with_fraction(one, node):
        message = f"`{one.shown(node)}` is a whole number: both are integers"
        return WHOLE_DIVISION, message, node, "write one of them as a real, as in `1.0`"
    rest = _rest(one, node)
    if rest and value.whole is not None:
        message = f"`{one.shown(node)}` is {value.whole[0]}: both are integers"
        return WHOLE_DIVISION, message, node, "write one of them as a real, as in `1.0`"
    if _is_percentage(one, node):
        message = f"`{one.shown(node)}` is a whole number before it is multiplied"
        return WHOLE_DIVISION, message, node, "multiply first, or write a real, as in `1.0`"
    part, whole = bare(node.left), bare(node.right)
    if isinstance(part, Binary) and part.operator == "-" and bare(part.left) == whole:
        if _is_integer(whole) and _is_integer(bare(part.right)):
            message = f"`{one.shown(node)}` is 0 or 1: both are integers"
            return WHOLE_DIVISION, message, node, f"write `real({one.shown(part)})`"
        return None
    if not isinstance(part, Reference) or not isinstance(whole, Reference):
        return None
    if top.real is not None or one.evaluation.alone(whole).whole is None:
        return None
    if whole.name.casefold() in {prefix + part.name.casefold() for prefix in _WHOLES}:
        message = f"`{one.shown(node)}` is 0 or 1: both are integers"
        return WHOLE_DIVISION, message, node, f"write `real({one.shown(part)})`"
    return None


def _is_compared_with_fraction(one: MacroExpression, node: Binary) -> bool:
    """``RequestCpus / 64 > 0.9``."""
    usual = all(_is_usually_whole(bare(side)) for side in (node.left, node.right))
    if one.evaluation.alone(node).real is not None and not usual:
        return False
    for above in comparisons(one.tree):
        for side, other in ((above.left, above.right), (above.right, above.left)):
            known = single_number(one.evaluation.alone(other))
            if bare(side) is node and known is not None and known % 1:
                return True
    return False


def _is_percentage(one: MacroExpression, node: Binary) -> bool:
    """``RequestCpus / 64 * 100``: a share in percent; of memory in GiB it may be a step."""
    part, whole = bare(node.left), bare(node.right)
    counted = one.evaluation.alone(part).unit in _COUNTED
    if not _is_usually_whole(part) or not (
        _is_usually_whole(whole) or (counted and is_number(whole) and _is_whole(whole))
    ):
        return False
    products = (n for n in walk(one.tree) if isinstance(n, Binary) and n.operator == "*")
    sides = ((bare(n.left), bare(n.right)) for n in products)
    percents = (a if b is node else b for a, b in sides if a is node or b is node)
    return any(single_number(one.evaluation.alone(by)) == 100 for by in percents)


def _is_whole(node: Node) -> bool:
    return isinstance(node, Literal) and node.value.__class__ is int


def _is_integer(node: Node) -> bool:
    row = find_attribute(node.name) if isinstance(node, Reference) else None
    return row is not None and row.type == "integer"


def _is_usually_whole(node: Node) -> bool:
    """Is it an attribute that counts something, or asks for so many of it?"""
    row = find_attribute(node.name) if isinstance(node, Reference) else None
    return row is not None and (row.type == "integer" or row.name.startswith("Request"))


def _rest(one: MacroExpression, node: Binary) -> int:
    """What a division of two written integers drops."""
    left, right = (single_value(one.evaluation.alone(side)) for side in (node.left, node.right))
    if left.__class__ is not int or right.__class__ is not int or names(node):
        return 0
    assert isinstance(left, int)
    assert isinstance(right, int)
    return left % right if right else 0
