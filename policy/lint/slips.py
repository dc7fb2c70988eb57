"""Checks for slips of the pen: operators that bind otherwise than they look, exchanged arguments.

Follows: precedence of the ClassAd language; declarations of its functions.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from classad.errors import Diagnostic
from classad.language.operators import BINARY, COMPARISONS, LOGIC
from classad.syntax.nodes import Binary, Call, Literal, Node, Reference, Unary, walk
from classad.syntax.unparse import unparse
from policy.attributes import find_attribute
from policy.ephemeral import find_ephemeral
from policy.knobs.reading import EXPANDED
from policy.lint.expressions import Held, held
from policy.lint.finding import WARNING, Finding
from policy.lint.trees import bare
from policy.lint.view import View

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
    "stringListMember() takes the item before the list, regexp() the pattern before the text, and"
    " ifThenElse() the condition first.",
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
QUOTED_NAME: Final = Finding(
    "P424",
    WARNING,
    "a quoted attribute name",
    "In quotes it is a text, which is compared as such.",
    'START = "RequestMemory" < 4096\n',
    "START = RequestMemory < 4096\n",
)

#: What a name has before it when it is the whole, and what it is a part of.
_WHOLES: Final = ("total", "totalslot", "detected")
_Found = tuple[Finding, str, Node, str | None]


def check_slips(view: View) -> Iterator[Diagnostic]:
    """Everything about slips."""
    for setting in view.settings:
        source = setting.entry.source
        if source is None or not setting.entry.raw.startswith("+"):
            continue
        if source.text[: setting.entry.start].endswith("="):
            yield EXCHANGED_ASSIGNMENT.on(
                setting.entry, f"`{setting.macro} =+` sets it anew", "did you mean `+=`?"
            )
    for one in held(view):
        for kind, message, node, help_text in _findings(one):
            yield kind.at(message, *one.spot(node), help_text)


def _findings(one: Held) -> Iterator[_Found]:
    for node in walk(one.tree):
        if isinstance(node, Binary):
            found = _precedence(one, node) or _division(one, node)
            if found is not None:
                yield found
            yield from _quoted(one, node)
        elif isinstance(node, Call):
            found = _exchanged(one, node)
            if found is not None:
                yield found


# --- precedence -----------------------------------------------------------------------------------


def _precedence(one: Held, node: Binary) -> _Found | None:
    if node.operator in COMPARISONS:
        found = _negated(one, node) or _multiplied(one, node)
        if found is not None:
            return found
    for child in (node.left, node.right):
        if isinstance(child, Binary) and _looks_looser(one, node, child):
            message = f"`{child.operator}` binds before `{node.operator}`, although it looks looser"
            return PRECEDENCE, message, node, "say with parentheses what is meant"
    return None


def _negated(one: Held, node: Binary) -> _Found | None:
    """``!State == "Claimed"``."""
    left = node.left
    if not isinstance(left, Unary) or left.operator != "!" or _is_condition(one, node.right):
        return None
    message = f"`!` takes `{unparse(left.operand)}` only, not the comparison"
    return PRECEDENCE, message, left, f"write `!({unparse(left.operand)} ...)`"


def _is_condition(one: Held, node: Node) -> bool:
    """Is it true or false, so that a negated value may be compared with it?"""
    value = one.evaluation.alone(node)
    return bool(value.truths) and not value.has_text


def _multiplied(one: Held, node: Binary) -> _Found | None:
    """``100 * RemoteOwner =?= UNDEFINED``: the product comes first, and is an error."""
    for side in (node.left, node.right):
        if not isinstance(side, Binary) or BINARY[side.operator].precedence < 9:
            continue
        value = one.evaluation.alone(side)
        operands = [one.evaluation.alone(part) for part in (side.left, side.right)]
        if value.error and not value.defined and any(part.has_text for part in operands):
            message = (
                f"`{side.operator}` binds before `{node.operator}`, so its operand is a string"
            )
            return PRECEDENCE, message, node, "put the comparison in parentheses"
    return None


def _looks_looser(one: Held, node: Binary, child: Binary) -> bool:
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


def _room(one: Held, node: Binary) -> str | None:
    """The blanks around an operator in the file; None if its operands come from elsewhere."""
    source, start, end = one.spot(node)
    if source is None or source.name.endswith(EXPANDED):
        return None
    text = source.text[start:end]
    left, right = one.spot(node.left), one.spot(node.right)
    if left[0] is not source or right[0] is not source or not start <= left[2] <= right[1] <= end:
        return None
    between = text[left[2] - start : right[1] - start].strip("()")
    before, found, behind = between.partition(node.operator)
    if not found or before.strip(" \t\r\n\\()") or behind.strip(" \t\r\n\\()"):
        return None
    return before if len(before) < len(behind) else behind if "\n" not in before else before


# --- arguments --------------------------------------------------------------------------------


def _exchanged(one: Held, node: Call) -> _Found | None:
    name, args = node.name.casefold(), [bare(arg) for arg in node.args]
    member = name in ("stringlistmember", "stringlistimember") and len(args) >= 2
    if member and _is_list(args[0]) and isinstance(args[1], Reference):
        return EXCHANGED, f"`{node.name}` takes the item before the list", node, None
    if name in ("regexp", "regexpmember") and len(args) >= 2:
        texts = isinstance(args[0], Reference), isinstance(args[1], Literal)
        if all(texts) and _is_text(args[0]):
            return EXCHANGED, f"`{node.name}` takes the pattern before the text", node, None
    if name == "ifthenelse" and len(args) == 3:
        first = one.evaluation.alone(args[0])
        if isinstance(args[0], Literal) and first.has_text:
            return EXCHANGED, f"`{node.name}` takes the condition first", node, None
        if isinstance(args[0], Literal) and first.is_measured and _is_comparison(args[1:]):
            return EXCHANGED, f"`{node.name}` takes the condition first", node, None
    return None


def _is_list(node: Node) -> bool:
    return isinstance(node, Literal) and isinstance(node.value, str) and "," in node.value


def _is_text(node: Node) -> bool:
    row = find_attribute(node.name) if isinstance(node, Reference) else None
    return row is not None and row.type == "string"


def _is_comparison(nodes: list[Node]) -> bool:
    return any(isinstance(node, Binary) and node.operator in COMPARISONS for node in nodes)


# --- division, quotes -----------------------------------------------------------------------------


def _division(one: Held, node: Binary) -> _Found | None:
    if node.operator != "/":
        return None
    value = one.evaluation.alone(node)
    top = one.evaluation.alone(node.left)
    if value.whole == (0, 0) and value.real is None and top.whole != (0, 0):
        message = f"`{unparse(node)}` is 0: both are integers"
        return WHOLE_DIVISION, message, node, "write one of them as a real, as in `1.0`"
    part, whole = bare(node.left), bare(node.right)
    if not isinstance(part, Reference) or not isinstance(whole, Reference):
        return None
    if top.real is not None or one.evaluation.alone(whole).whole is None:
        return None
    if whole.name.casefold() in {prefix + part.name.casefold() for prefix in _WHOLES}:
        message = f"`{unparse(node)}` is 0 or 1: both are integers"
        return WHOLE_DIVISION, message, node, f"write `real({unparse(part)})`"
    return None


def _quoted(one: Held, node: Binary) -> Iterator[_Found]:
    for side, other in ((node.left, node.right), (node.right, node.left)):
        text, beside = bare(side), one.evaluation.alone(other)
        if not isinstance(text, Literal) or not isinstance(text.value, str):
            continue
        if find_attribute(text.value) is None and find_ephemeral(text.value) is None:
            continue
        no_text = not beside.has_text and beside.defined
        if no_text or isinstance(bare(other), Literal) or node.operator not in COMPARISONS:
            message = f'`"{text.value}"` is a text, not the attribute'
            yield QUOTED_NAME, message, text, f"did you mean `{text.value}`?"
