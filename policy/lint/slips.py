"""Checks for slips of the pen: operators that bind otherwise than they look, exchanged arguments.

Follows: precedence of the ClassAd language; declarations of its functions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from classad.errors import Diagnostic, Edit
from classad.evaluation.functions import InlineForm, lookup_function
from classad.language.operators import BINARY, COMPARISONS, LOGIC, ORDER
from classad.patterns import late_regex
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
from policy.history import templates_of
from policy.knobs.declaration import KnobKind, Wanted
from policy.knobs.reading import behind_expression
from policy.language.expressions import text_behind
from policy.language.numbers import saturated
from policy.lint.expressions import MacroExpression
from policy.lint.finding import ERROR, Finding, Per, finding, looks_at
from policy.lint.names import is_spoken_of
from policy.lint.trees import ends, names, references, sides, takes_pattern, text_of
from policy.lint.view import Setting, View
from policy.values.domain import single_number, single_value

PRECEDENCE: Final = Finding(
    "P420",
    "an operator that binds otherwise than it looks",
    "`!` takes the next operand only, `*` comes before `=?=`, and `&&` before `||`. Where blanks or"
    " line breaks say otherwise, or a part is an error that way, parentheses are missing. `? :`"
    " comes last: what is before `?` is all of the condition.",
    'START = !TARGET.Owner == "alice"\n',
    'START = TARGET.Owner != "alice"\n',
)
WHOLE_DIVISION: Final = Finding(
    "P422",
    "a fraction that is lost",
    "Between integers `/` drops the fraction: 1/2 is 0, and a part over its whole is 0 or 1. So do"
    " the daemons with the number itself where a macro is an integer: 0.5 is 0.",
    "RANK = 1/2 * TARGET.JobPrio\n",
    "RANK = 1/2.0 * TARGET.JobPrio\n",
)


#: A part of one, and macros that say how many slots there are.
_BELOW_ONE: Final = late_regex(r"\s*0?\.0*[1-9]\d*\s*")
_OF_SLOTS: Final = late_regex(r"NUM_SLOTS(?:_TYPE_\d+)?", re.IGNORECASE)
_PERIODIC: Final = late_regex("SYSTEM_PERIODIC_", re.IGNORECASE)
#: What a name has before it when it is the whole, and what it is a part of.
_WHOLES: Final = ("total", "totalslot", "detected")
#: Units of what preemption compares.
_OF_PRIORITIES: Final = ("priority", "weighted slots")
#: Units of things that are counted, few of each.
_COUNTED: Final = ("cpus", "GPUs")
_COMMAS: Final = late_regex(r"[,\s]")
_INTEGERS: Final = late_regex(r"(?<![\d.])(\d+)\s*/\s*(\d+)(?![\d.])")
#: What to do about a division of integers.
_AS_REAL: Final = "write one of them as a real, as in `1.0`"
#: A finding without its kind: its message, the node that it is about, and what to do.
Said = tuple[str, Node, str | None]


@finding(
    "P423",
    "`=+` in place of `+=`",
    "`X =+ Y` sets X to `+ Y`; what X was before is lost. In DC_DAEMON_LIST a `+` in front of the"
    " value adds to the built-in list, and nothing is said.",
    "HasMatlab = True\nSTARTD_ATTRS =+ HasMatlab\n",
    "HasMatlab = True\nSTARTD_ATTRS = $(STARTD_ATTRS) HasMatlab\n",
    holding="+",
)
def exchanged_assignment(view: View, setting: Setting) -> Iterator[Diagnostic]:
    entry, kind = setting.entry, exchanged_assignment
    is_added = (entry.written or entry.raw).startswith("+")
    is_added = is_added and setting.upper != "DC_DAEMON_LIST"
    if entry.source is not None and is_added and entry.source.text[: entry.start].endswith("="):
        found = kind.on(entry, f"`{setting.macro} =+` sets it anew", "did you mean `+=`?")
        if found.source is not None:
            found.edit = Edit(found.source, found.start - 1, found.start + 1, "+=")
        yield found


@finding(
    "P435",
    "a template that is assigned and not used",
    "Templates come with `use CATEGORY : NAME`. `SECURITY = HOST_BASED` sets a macro SECURITY,"
    " which nobody reads.",
    "ROLE = Execute\n",
    "use ROLE : Execute\n",
    of="ROLE|FEATURE|POLICY|SECURITY",
)
def assigned_template(view: View, setting: Setting) -> Iterator[Diagnostic]:
    name, templates = setting.text().strip(), templates_of(view.config.version)
    if is_spoken_of(view, setting) or templates.find(setting.macro, name) is None:
        return
    message = f"`{setting.macro}` is a category of templates, and nobody reads a macro of that name"
    yield assigned_template.named(setting.entry, message, f"write `use {setting.macro} : {name}`")


@looks_at(Per.SETTING, holding="/")
def divided(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """A number that is written as a quotient of integers."""
    raw = setting.entry.raw
    found = _INTEGERS.search(raw)
    over, under = (0, 0) if found is None else map(saturated, found.groups())
    if found is None or not under or not over % under:
        return
    kind = _kind_of(setting)
    if kind is KnobKind.DOUBLE or (kind is KnobKind.INT and over < under):
        advice = _AS_REAL if kind is KnobKind.DOUBLE else _counts(setting)
        message = f"`{found[0]}` is {over // under}: both are integers"
        yield WHOLE_DIVISION.on(setting.entry, message, advice)


@looks_at(Per.SETTING, holding=".")
def part_of_one(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """Less than one of what is counted by the whole."""
    raw = setting.entry.raw
    if _BELOW_ONE.fullmatch(raw) and _kind_of(setting) is KnobKind.INT:
        message = f"`{raw.strip()}` counts as 0"
        yield WHOLE_DIVISION.on(setting.entry, message, _counts(setting))


def _kind_of(setting: Setting) -> KnobKind:
    if setting.knob is not None:
        return setting.knob.kind
    from policy.explain.meaning import kind_of  # few files have such a number

    return KnobKind.INT if _OF_SLOTS.fullmatch(setting.macro) else kind_of(setting.macro)


def _counts(setting: Setting) -> str:
    return f"{setting.macro} is an integer, and what is behind its point is dropped"


@looks_at(Per.EXPRESSION)
def behind(one: MacroExpression) -> Iterator[Diagnostic]:
    """What follows a conditional that is the whole expression."""
    found = text_behind(one.text) if isinstance(one.tree, Conditional) else None
    if found is not None:
        name = one.setting.macro if one.part is None else one.name
        yield behind_expression(name, found, one.place(found.start, found.end))


@looks_at(Per.BINARY)
def slip(one: MacroExpression, node: Binary) -> Iterator[Diagnostic]:
    """What is wrong with an operator first of all."""
    found = _torn(one, node) or _precedence(one, node)
    if found is not None:
        yield one.say(PRECEDENCE, *found)
        return
    divided = _division(one, node) if node.operator == "/" else None
    if divided is not None:
        yield one.say(WHOLE_DIVISION, divided[0], node, divided[1])


@looks_at(Per.EXPRESSION)
def number_chosen(one: MacroExpression) -> Iterator[Diagnostic]:
    """A condition that chooses between numbers: the choice was meant to be compared.

    ``Age > Limit is undefined ? 60 : Limit * 60`` is 60, which counts as true, or Limit * 60.
    """
    choice = bare(one.tree)
    if one.use.wanted not in (Wanted.TRUTH, Wanted.CONDITION) or not isinstance(
        choice, Conditional
    ):
        return
    compared = _compared_before(choice.condition)
    if compared is None or not all(map(_is_number, ends(choice))):
        return
    operator, start = compared
    message = f"`{operator}` binds before `? :`, so {one.name} is a number, which is true unless 0"
    compared_with = one.text[start : choice.end].strip()
    found = one.say(PRECEDENCE, message, choice, f"write `{operator} ({compared_with})`")
    found.severity = ERROR if _PERIODIC.match(one.setting.macro) else found.severity
    yield found


def _compared_before(node: Node) -> tuple[str, int] | None:
    """The comparison at the end of a condition, and where the choice begins that it may be with."""
    while isinstance(node, Binary) and node.operator in LOGIC:
        node = node.right
    if not isinstance(node, Binary):
        return None
    first = node.left if node.operator not in ORDER else node
    if not isinstance(first, Binary) or first.operator not in ORDER:
        return None
    if first is node and not isinstance(node.right, Call):
        return None
    return first.operator, first.right.start


def _is_number(node: Node) -> bool:
    """Is it a number by its form, and not one that stands for false?"""
    if isinstance(node, Binary):
        return node.operator in ("+", "-", "*", "/", "%")
    return isinstance(node, Literal) and type(node.value) in (int, float) and node.value != 0


# --- precedence -----------------------------------------------------------------------------------


def _precedence(one: MacroExpression, node: Binary) -> Said | None:
    if node.operator in COMPARISONS:
        found = _negated(one, node) or _multiplied(one, node) or _truth_as_number(one, node)
        if found is not None:
            return found
    if node.operator == "||" and _is_alternative(node):
        message = "`&&` binds before `||`, so it goes with the second alternative only"
        return message, node, "say with parentheses what is meant"
    for child in (node.left, node.right):
        if isinstance(child, Binary) and _looks_looser(one, node, child):
            message = f"`{child.operator}` binds before `{node.operator}`, although it looks looser"
            return message, node, "say with parentheses what is meant"
    return None


def _torn(one: MacroExpression, node: Binary) -> Said | None:
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
            return message, node, f"put the value of {name} in parentheses"
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


def _negated(one: MacroExpression, node: Binary) -> Said | None:
    """``!State == "Claimed"``, unless it is compared with what is true or false."""
    left, other = node.left, one.evaluation.alone(node.right)
    if not isinstance(left, Unary) or left.operator != "!" or (other.truths and not other.has_text):
        return None
    taken = one.shown(left.operand)
    return f"`!` takes `{taken}` only, not the comparison", left, f"write `!({taken} ...)`"


def _multiplied(one: MacroExpression, node: Binary) -> Said | None:
    """``100 * RemoteOwner =?= UNDEFINED``: the product comes first, and is an error."""
    parts = [node.left, node.right]
    while parts:
        side = parts.pop()
        if not isinstance(side, Binary) or BINARY[side.operator].precedence < 9:
            continue
        parts += (side.left, side.right)
        value = one.evaluation.alone(side)
        operands = [one.evaluation.alone(part) for part in (side.left, side.right)]
        texts = [part for part in operands if part.has_text and not part.is_measured]
        if value.error and not value.defined and texts:
            message = f"`{side.operator}` binds before `{node.operator}`, so it gets a string"
            return message, node, "put the comparison in parentheses"
    return None


def _truth_as_number(one: MacroExpression, node: Binary) -> Said | None:
    """``RemoteUserPrio > (SubmitterUserPrio > 0) * 1.2``: 1 or 0 where a priority is meant."""
    for side, _, other in sides(node):
        unit = one.evaluation.alone(other).unit
        products = (n for n in walk(side) if isinstance(n, Binary) and n.operator == "*")
        factors = (bare(factor) for product in products for factor in (product.left, product.right))
        for factor in factors if unit in _OF_PRIORITIES else ():
            if not isinstance(factor, Binary) or factor.operator not in COMPARISONS:
                continue
            if any(one.evaluation.alone(ref).unit == unit for ref in references(factor)):
                message = f"`{one.shown(factor)}` counts 1 or 0 here"
                return message, factor, "multiply the value, not the comparison"
    return None


def _looks_looser(one: MacroExpression, node: Binary, child: Binary) -> bool:
    """Has an operator that binds tighter more room around it?"""
    if BINARY[child.operator].precedence <= BINARY[node.operator].precedence:
        return False
    other = bare(node.right if child is node.left else node.left)
    if isinstance(other, Literal) and isinstance(other.value, bool) and child.operator in ORDER:
        return False  # only the other comparison can be true or false
    both_logic = node.operator in LOGIC and child.operator in LOGIC
    before, _, behind = one.text[node.left.end : node.right.start].partition(node.operator)
    if not both_logic and before[-1:].isspace() and behind[:1].isspace():
        return False  # there is room around it, wherever its operands come from
    outer, inner = _room(one, node), _room(one, child)
    if outer is None or inner is None:
        return False
    if not outer:
        return bool(inner)
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


@finding(
    "P421",
    "arguments in the wrong order",
    "stringListMember() and member() take the item before the list, regexp() the pattern before the"
    " text, substr() the text before the numbers, and ifThenElse() the condition first.",
    'START = stringListMember("alice,bob", TARGET.Owner)\n',
    'START = stringListMember(TARGET.Owner, "alice,bob")\n',
    per=Per.CALL,
)
def exchanged(one: MacroExpression, node: Call) -> Iterator[Diagnostic]:
    wrong = _wrong_order(one, node)
    if wrong is not None:
        message, help_text = wrong
        yield one.say(exchanged, f"`{node.name}` takes {message}", node, help_text)


def _wrong_order(one: MacroExpression, node: Call) -> tuple[str, str | None] | None:
    """What a function takes that gets something else, and what to do."""
    function, args = lookup_function(node.name), [bare(arg) for arg in node.args]
    if function is None or len(args) < 2:
        return None
    name, first, second = node.name.casefold(), args[0], args[1]
    of_lists = function.family == "lists"
    if name.endswith("member"):
        if (isinstance(first, ListExpr) if of_lists else _is_list(first)) and isinstance(
            second, Reference
        ):
            return "the item before the list", None
        if of_lists and len(args) == 2 and _is_list(second):
            return "a list, and this is a text", "stringListMember() takes a text with commas"
        separator = _other_separator(second) if len(args) == 2 else None
        if separator is not None:
            help_text = f'its third argument may say `"{separator}"`'
            return "a list with commas or blanks, and this is one item", help_text
    if name == "substr" and is_number(first) and not is_number(args[-1]):
        return "the text before the numbers", None
    if isinstance(first, Binary) and first.operator == "?:":
        first = bare(first.left)
    if (
        takes_pattern(node)
        and isinstance(second, Literal)
        and (
            type_of(first) == "string"
            or (
                isinstance(first, Reference)
                and find_attribute(first.name) is None
                and _ANCHORED.fullmatch(text_of(second) or "")
            )
        )
    ):
        return "the pattern before the text", None
    if function.form is InlineForm.CHOICE and len(args) == 3 and isinstance(first, Literal):
        value = one.evaluation.alone(first)
        compared = any(isinstance(x, Binary) and x.operator in COMPARISONS for x in args[1:])
        if value.has_text or (value.is_measured and compared):
            return "the condition first", None
    return None


#: A pattern that no text looks like.
_ANCHORED: Final = late_regex(r"\^.*|.*\.\*.*|.*[^$]\$")


def type_of(node: Node) -> str:
    """The type of the values of an attribute that the table has; empty for anything else."""
    row = find_attribute(node.name) if isinstance(node, Reference) else None
    return "" if row is None else row.type


def is_number(node: Node) -> bool:
    return isinstance(node, Literal) and node.value.__class__ in (int, float)


def _is_list(node: Node) -> bool:
    return "," in (text_of(node) or "")


def _other_separator(node: Node) -> str | None:
    """What stands between the items of a list instead of commas or blanks."""
    text = text_of(node) or ""
    return next(
        (sign for sign in ";|" if sign in text.strip(sign) and not _COMMAS.search(text)), None
    )


# --- division -------------------------------------------------------------------------------------


def _division(one: MacroExpression, node: Binary) -> tuple[str, str] | None:
    """What a division loses, and what to do."""
    shown, value, top = one.shown(node), one.evaluation.alone(node), one.evaluation.alone(node.left)
    if value.whole == (0, 0) and value.real is None and top.whole != (0, 0):
        return f"`{shown}` is 0: both are integers", _AS_REAL
    if _is_compared_with_fraction(one, node):
        return f"`{shown}` is a whole number: both are integers", _AS_REAL
    if _rest(one, node) and value.whole is not None:
        return f"`{shown}` is {value.whole[0]}: both are integers", _AS_REAL
    if _is_percentage(one, node):
        help_text = "multiply first, or write a real, as in `1.0`"
        return f"`{shown}` is a whole number before it is multiplied", help_text
    part, whole = bare(node.left), bare(node.right)
    is_share = False
    if isinstance(part, Binary) and part.operator == "-" and bare(part.left) == whole:
        is_share = type_of(whole) == type_of(bare(part.right)) == "integer"
    elif isinstance(part, Reference) and isinstance(whole, Reference) and top.real is None:
        is_part = whole.name.casefold() in {prefix + part.name.casefold() for prefix in _WHOLES}
        is_share = is_part and one.evaluation.alone(whole).whole is not None
    if is_share:
        return f"`{shown}` is 0 or 1: both are integers", f"write `real({one.shown(part)})`"
    return None


def _is_compared_with_fraction(one: MacroExpression, node: Binary) -> bool:
    """``RequestCpus / 64 > 0.9``."""
    usual = all(_is_usually_whole(bare(side)) for side in (node.left, node.right))
    if one.evaluation.alone(node).real is not None and not usual:
        return False
    for above in one.comparisons:
        for side, _, other in sides(above):
            known = single_number(one.evaluation.alone(other))
            if side is node and known is not None and known % 1:
                return True
    return False


def _is_percentage(one: MacroExpression, node: Binary) -> bool:
    """``RequestCpus / 64 * 100``: a share in percent; of memory in GiB it may be a step."""
    part, whole = bare(node.left), bare(node.right)
    counted = isinstance(whole, Literal) and whole.value.__class__ is int
    counted = counted and one.evaluation.alone(part).unit in _COUNTED
    if not _is_usually_whole(part) or not (_is_usually_whole(whole) or counted):
        return False
    products = (n for n in one.nodes if isinstance(n, Binary) and n.operator == "*")
    factors = (by for n in products for side, _, by in sides(n) if side is node)
    return any(single_number(one.evaluation.alone(by)) == 100 for by in factors)


def _is_usually_whole(node: Node) -> bool:
    """Is it an attribute that counts something, or asks for so many of it?"""
    asked = isinstance(node, Reference) and node.name.casefold().startswith("request")
    return type_of(node) == "integer" or (asked and type_of(node) != "")


def _rest(one: MacroExpression, node: Binary) -> int:
    """What a division of two written integers drops."""
    left, right = (single_value(one.evaluation.alone(side)) for side in (node.left, node.right))
    if left.__class__ is not int or right.__class__ is not int or names(node):
        return 0
    assert isinstance(left, int)
    assert isinstance(right, int)
    return left % right if right else 0
