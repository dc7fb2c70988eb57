"""Checks comparisons and operators that cannot do what they seem to.

What both sides can be is asked of ``policy.values``.
Follows: comparison in the ClassAd language; the table of attributes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from classad.errors import Diagnostic, suggest
from classad.evaluation.functions import ResultKind, lookup_function
from classad.language.operators import EQUALITY, IDENTITY, ORDER
from classad.language.values import ClassAdValue, Value
from classad.patterns import late_regex
from classad.syntax.nodes import Binary, Call, Literal, Node, Reference, Unary, bare, walk
from policy.attributes import DATE, find_attribute
from policy.ephemeral import find_ephemeral
from policy.lint.expressions import MacroExpression
from policy.lint.finding import Advice, Finding, Meant, Per, finding, looks_at, meant
from policy.lint.trees import (
    comparisons,
    conjuncts,
    disjuncts,
    is_undefined,
    names,
    number,
    references,
    scope_of,
    sides,
    text_of,
)
from policy.universes import UNIVERSES
from policy.values.domain import Abstract

NEVER_TRUE: Final = Finding(
    "P410",
    "a comparison that can never be true",
    "The types do not fit, the bounds exclude each other, or the value cannot be in that range:"
    " effective priorities are never below 0.5, usage and quotas never below 0, and `=?=` is false"
    " between an integer and a real.",
    "PREEMPTION_REQUIREMENTS = RemoteUserPrio > 10 && RemoteUserPrio < 5 || RemoteUserPrio > 900\n",
    "PREEMPTION_REQUIREMENTS = RemoteUserPrio > 5 && RemoteUserPrio < 10 || RemoteUserPrio > 900\n",
)
UNDEFINED_OPERAND: Final = Finding(
    "P411",
    "an operation with UNDEFINED that is always undefined",
    "Only `=?=`, `=!=` and isUndefined() can tell that an attribute is not there. Arithmetic with"
    " UNDEFINED is undefined, too.",
    "START = RemoteOwner == UNDEFINED\n",
    "START = RemoteOwner =?= UNDEFINED\n",
)
UNQUOTED: Final = Finding(
    "P412",
    "a word without quotes",
    "Without quotes it is the name of an attribute, which nobody defines.",
    "NEGOTIATOR_SLOT_CONSTRAINT = State == Unclaimed\n",
    'NEGOTIATOR_SLOT_CONSTRAINT = State == "Unclaimed"\n',
)
SINGLE_PRECISION: Final = Finding(
    "P414",
    "equality with a value of single precision",
    "RemoteUserPrio and RemoteUserResourcesInUse have been through single precision, while their"
    " `Submitter...` counterparts have not: equal values seldom compare equal.",
    "PREEMPTION_RANK = ifThenElse(RemoteUserPrio == SubmitterUserPrio, 0, RemoteUserPrio)\n",
    "PREEMPTION_RANK = ifThenElse(RemoteUserPrio <= SubmitterUserPrio * 1.01, 0, RemoteUserPrio)\n",
)

ALWAYS_TRUE: Final = Finding(
    "P415",
    "a comparison that is always true",
    "Every value that the attribute can have passes it, so the term decides nothing.",
    "START = JobUniverse < 20\n",
    "START = JobUniverse < 9\n",
)
OTHER_CASE: Final = Finding(
    "P416",
    "a comparison by `=?=` or `=!=` with a value in another case",
    "`==` does not look at upper and lower case, `=?=` and `=!=` do.",
    'START = TARGET.WantDocker =?= True && OpSys =?= "linux"\n',
    'START = TARGET.WantDocker =?= True && OpSys =?= "LINUX"\n',
)
UNLIKE_UNITS: Final = Finding(
    "P417",
    "a comparison of unlike units",
    "Memory, RequestMemory and MemoryUsage are in MiB, Disk, ImageSize and ResidentSetSize in KiB,"
    " sizes of transferred files in bytes, run times in seconds. ClockMin counts minutes: eight in"
    " the morning is 480.",
    "SYSTEM_PERIODIC_HOLD = ResidentSetSize > RequestMemory\n",
    "SYSTEM_PERIODIC_HOLD = ResidentSetSize > RequestMemory * 1024\n",
)
#: What is no attribute and needs no quotes.
_LITERALS: Final = ("True", "False", "Undefined")
_BEGIN_LITERALS: Final = "tfu"
#: What other languages have in the place of `undefined`.
NOTHINGS: Final = ("none", "null", "nil")
#: A `Tue` is a day.
_SHORTEST: Final = 4
#: Numbers that people write as words.
_NUMBERED: Final[Mapping[str, Mapping[str, int]]] = {
    "jobuniverse": UNIVERSES,
    "jobstatus": {
        "idle": 1, "running": 2, "removed": 3, "completed": 4, "held": 5, "suspended": 7,
    },
}  # fmt: skip
#: Attributes that a name without quotes is compared with by mistake only.
_TEXTS: Final = frozenset(
    (
        *("owner", "user", "name", "remoteowner", "remoteuser", "machine", "opsys", "arch"),
        *("accountinggroup", "acctgroup", "projectname", "state", "activity", "slottype"),
        *("remotehost", "lastremotehost", "filesystemdomain", "uiddomain", "acctgroupuser"),
        "opsysandver",
    )
)
#: A text that reads as attributes of records or as differences of attributes: `CERN-PROD`.
_SEVERAL: Final = late_regex(r"(?!(?:my|target|self|parent)\.)[a-z]\w*(?:-\d+|[-.][a-z]\w*)+", re.I)
#: What nobody calls an attribute.
_CAPITALS: Final = late_regex("[A-Z][A-Z0-9]{2,}")
#: Functions whose texts have letters of one case only.
_ONE_CASE: Final = {ResultKind.LOWER: str.lower, ResultKind.UPPER: str.upper}
_GROUPS: Final = frozenset(
    (
        *("submittergroup", "remotegroup", "submitternegotiatinggroup", "remotenegotiatinggroup"),
        *("acctgroup",),
    )
)
#: Units of which no two can be compared; so many MiB a core are cores in number.
_MEASURES: Final = frozenset(("s", "min", "B", "KiB", "MiB"))
#: Dates that are never in the future.
_HAPPENED: Final = late_regex(r"(JobStart|JobCurrentStart|JobLastStart|Entered|QDate)", re.I)
_UNLIKE: Final = ("!=", "=!=")
_TYPES: Final = {bool: "boolean", int: "integer", float: "real", str: "string"}
#: A finding, its message, the node that it is about, and what to do.
Said = tuple[Finding, str, Node, Advice]


@finding(
    "P413",
    "a single `&` or `|` between conditions",
    "These work on the bits of integers; with a boolean they are an error.",
    'NEGOTIATOR_SLOT_CONSTRAINT = Memory > 1024 & Arch == "X86_64"\n',
    'NEGOTIATOR_SLOT_CONSTRAINT = Memory > 1024 && Arch == "X86_64"\n',
    per=Per.BINARY,
)
def bitwise(one: MacroExpression, node: Binary) -> Iterator[Diagnostic]:
    if node.operator in ("&", "|") and any(
        any(True for _ in comparisons(side)) for side in node.children()
    ):
        help_text = _operator(one, node, node.operator * 2)
        yield one.say(bitwise, f"`{node.operator}` works on bits", node, help_text)


@looks_at(Per.COMPARISON)
def compared(one: MacroExpression, node: Binary) -> Iterator[Diagnostic]:
    """At most one finding about a comparison, the most particular that there is."""
    if is_undefined(node.left) or is_undefined(node.right):
        if node.operator not in IDENTITY:
            instead = "=!=" if node.operator == "!=" else "=?="
            is_error = any(bare(side) == Literal(Value.Error) for side in node.children())
            outcome = "ERROR is always an error" if is_error else "UNDEFINED is always undefined"
            message = f"`{node.operator}` with {outcome}"
            help_text = _operator(one, node, instead)
            yield one.say(UNDEFINED_OPERAND, message, node, help_text)
    else:
        found = next(filter(None, (check(one, node) for check in _CHECKS)), None)
        if found is not None:
            yield one.say(*found)


def _operator(one: MacroExpression, node: Binary, instead: str) -> Advice:
    """Another operator as advice; a repair where the operator stands once in its node."""
    is_alone = one.text.count(node.operator, node.start, node.end) == 1
    return Meant(instead, node.operator) if is_alone else f"did you mean `{instead}`?"


def _pairs(node: Binary) -> Iterator[tuple[Reference, Node]]:
    """An attribute on one side, and what is on the other."""
    for side, _, other in sides(node):
        if isinstance(side, Reference):
            yield side, other


def _word(one: MacroExpression, node: Binary) -> Said | None:
    """A value without quotes, or with single ones."""
    for subject, other in _pairs(node):
        name, folded = subject.name, subject.name.casefold()
        if not isinstance(other, Reference) or subject.base is not None or is_known(one, folded):
            continue
        if literal_of(subject) is not None or folded in NOTHINGS:
            continue  # that is told wherever it stands
        if one.text[subject.start] == "'":
            message = f"`'{name}'` is an attribute: texts have double quotes"
            return UNQUOTED, message, subject, Meant(f'"{name}"', f"'{name}'")
        message = f"`{name}` is not quoted, so it is an attribute"
        row, theirs = find_attribute(other.name), other.name.casefold()
        numbers = _NUMBERED.get(theirs, {})
        if row is not None and folded in numbers:
            return (
                UNQUOTED,
                message,
                subject,
                f"{row.name} is a number: {name} is {numbers[folded]}",
            )
        groups = {group.casefold() for group in one.view.groups}
        listed = {value.casefold() for value in row.spellings} if row is not None else set()
        text = row is not None and row.type == "string" and bool(_CAPITALS.fullmatch(name))
        is_text = (text or theirs in _TEXTS) and row is not None and find_attribute(folded) is None
        if (theirs in _GROUPS and folded in groups) or folded in listed or is_text:
            return UNQUOTED, message, subject, Meant(f'"{name}"', name)
    return None


def _words(one: MacroExpression, node: Binary) -> Said | None:
    """``Machine == node1.example.org``, ``Owner == CERN-PROD``."""
    for subject, other in _pairs(node):
        whole = one.text[other.start : other.end]
        if subject.name.casefold() in _TEXTS and are_words(one, whole):
            message = f"`{whole}` is not quoted, so it reads as attributes"
            return UNQUOTED, message, other, Meant(f'"{whole}"', whole)
    return None


def are_words(one: MacroExpression, text: str) -> bool:
    """Are the parts of `group_physics.atlas` or `CERN-PROD` no attributes that anybody knows?"""
    parts = re.split("[-.]", text) if _SEVERAL.fullmatch(text) else ()
    known = (find_attribute(part) or is_known(one, part.casefold()) for part in parts)
    alike = all(part.islower() or part.isupper() or part.isdigit() for part in parts)
    return alike and bool(parts) and not any(known)


def literal_of(node: Reference) -> str | None:
    """The literal that a name without a scope is a slip of: `False` with two letters swapped, one
    missing or there twice."""
    name = node.name.casefold()
    if node.base is not None or name[0] not in _BEGIN_LITERALS or len(name) < _SHORTEST:
        return None
    meant = suggest(name, _LITERALS)
    alike = meant is not None and sorted(name) == sorted(meant.casefold())
    return meant if meant is not None and (alike or len(name) != len(meant)) else None


def is_known(one: MacroExpression, folded: str) -> bool:
    """Is a name an attribute of the configuration, or one of its macros?"""
    if find_ephemeral(folded) is not None or folded in one.surroundings.published:
        return True
    if folded.startswith(one.view.prefixes):
        return True
    return folded in one.view.of_macro


def _case(one: MacroExpression, node: Binary) -> Said | None:
    """A known value in another case, where case counts."""
    for side, operator, other in sides(node) if node.operator in IDENTITY else ():
        text = text_of(other)
        right, what = text, one.shown(side)
        if text is not None and isinstance(side, Call):
            function = lookup_function(side.name)  # toUpper(Owner) =?= "alice"
            convert = None if function is None else _ONE_CASE.get(function.result)
            right = text if convert is None else convert(text)
            what = f"`{what}`"
        elif text is not None and isinstance(side, Reference):
            row, what = find_attribute(side.name), side.name
            known = row.spellings if row is not None else ()
            known = one.view.groups if is_group(one, side) else known
            spelled = (value for value in known if value.casefold() == text.casefold())
            right = text if text in known else next(spelled, text)
        if right != text:
            message = f'{what} is never `"{text}"`, and `{operator}` looks at case'
            return OTHER_CASE, message, node, f'write `"{right}"`'
    return None


def is_group(one: MacroExpression, subject: Reference) -> bool:
    """Is it the name of a group, and nothing longer?"""
    folded = subject.name.casefold()
    return folded in _GROUPS or (folded == "accountinggroup" and one.use.my == "group")


def _no_such_group(one: MacroExpression, node: Binary) -> Said | None:
    """A group that does not exist, nearly like one that does."""
    groups = one.view.groups if node.operator in ("==", "=?=") else ()
    for subject, other in _pairs(node) if groups else ():
        text = text_of(other)
        if text is None or not is_group(one, subject):
            continue
        if text.casefold() in (*map(str.casefold, groups), "<none>"):
            continue
        advice = meant(text, groups, "GROUP_NAMES has no such group")
        if isinstance(advice, Meant) or one.use.my == "group":
            return NEVER_TRUE, f"no group is called `{text}`", node, advice
    return None


def _never(one: MacroExpression, node: Binary) -> Said | None:
    """A comparison that is never true, by itself or behind what stands before it."""
    left, right = (one.evaluation.alone(side) for side in (node.left, node.right))
    if not (left.defined and right.defined) or _has_lost_all(one, node):
        return None
    if not any(references(node)) and not _is_written_out(one, node):
        return None
    shown, alone, here = one.shown(node), one.evaluation.alone(node), one.evaluation.of(node)
    if True in alone.truths:
        if here.empty or True in here.truths or node.operator in IDENTITY:
            return None
        return NEVER_TRUE, f"`{shown}` is never true behind what stands before it", node, None
    if not alone.error or alone.truths:
        return NEVER_TRUE, f"`{shown}` is never true{_because(node)}", node, None
    if isinstance(node.left, Unary) and node.left.operator == "!":
        return None  # it takes the left side only: there is a finding about that
    message = f"`{shown}` compares {_kind(left)} with {_kind(right)}, which is an error"
    lists = (side for side in (bare(node.left), bare(node.right)) if _is_list(side))
    help_text = next((f"`{one.shown(side)}[0]` is the first item" for side in lists), None)
    return NEVER_TRUE, message, node, help_text


def _is_list(node: Node) -> bool:
    """Is it a call of a function that gives a list?"""
    function = lookup_function(node.name) if isinstance(node, Call) else None
    return function is not None and function.result is ResultKind.LIST


def _is_written_out(one: MacroExpression, node: Binary) -> bool:
    """Is it a comparison of numbers in a condition about more, and from no macro?

    What a macro says may be a switch.
    """
    if not one.names or one.has_holes or any(one.macros[node.start : node.end]):
        return False
    return all(number(side) is not None for side in (node.left, node.right))


def _has_lost_all(one: MacroExpression, node: Node) -> bool:
    """Is there a division that is 0 in it?  There is a finding about that."""
    divisions = (n for n in walk(node) if isinstance(n, Binary) and n.operator == "/")
    values = map(one.evaluation.alone, divisions)
    return any(value.whole == (0, 0) and value.real is None for value in values)


def _because(node: Binary) -> str:
    """What is known of the attribute, in words."""
    for subject, other in _pairs(node):
        row = find_attribute(subject.name)
        added = find_ephemeral(subject.name)
        if row is not None and row.values:
            return f"; {row.name} is one of {', '.join(row.values)}"
        type_ = added.type if added is not None else row.type if row is not None else ""
        given = _TYPES.get(type(other.value)) if isinstance(other, Literal) else type_
        if node.operator in IDENTITY and type_ not in ("", given):
            return f"; {subject.name} is of type {type_}, and `=?=` looks at types"
        if added is not None and added.unit in ("priority", "weighted slots"):
            least = "0.5" if added.unit == "priority" else "0"
            return f"; {added.name} is never below {least}"
        if row is not None and row.range[0] > float("-inf") and number(other) is not None:
            high = f" or above {row.range[1]:g}" if row.range[1] < float("inf") else ""
            return f"; {row.name} is never below {row.range[0]:g}{high}"
    return ""


def _kind(value: Abstract) -> str:
    if value.has_text:
        return "a string"
    return "a number" if value.is_measured else "a truth value" if value.truths else "a list"


def _always(one: MacroExpression, node: Binary) -> Said | None:
    """A comparison that every value passes; with 0 it may be a way to ask for being there."""
    alone = one.evaluation.alone(node)
    if alone.truths != {True} or alone.error or not any(references(node)):
        return None
    if alone.undefined and not any(_is_bounded(one, *pair) for pair in _pairs(node)):
        return None
    if any(_is_idle(one, side) for side in (node.left, node.right)) or _is_end(one, node):
        return None
    if not any(isinstance(bare(side), Literal) for side in (node.left, node.right)):
        return None
    return ALWAYS_TRUE, f"`{one.shown(node)}` is always true{_because(node)}", node, None


def _is_end(one: MacroExpression, node: Binary) -> bool:
    """Is it the last value that there is, beside another bound; or the first one below another?"""
    others = {name for other in one.comparisons if other is not node for name in names(other)}
    for subject, other in _pairs(node):
        row, bound = find_attribute(subject.name), number(other)
        if row is not None and bound is not None and subject.name.casefold() in others:
            least, greatest = row.range
            return bound in (greatest, greatest + 1) or (
                bound in (least - 1, least) and _is_bounded_above(one, node, subject.name)
            )
    return False


def _is_bounded_above(one: MacroExpression, node: Binary, name: str) -> bool:
    """``SlotID >= 1 && SlotID <= 4``."""
    for chain in one.of_kind(Binary):
        parts = tuple(conjuncts(chain))
        if any(part is node for part in parts):
            return any(
                symbol in ("<", "<=")
                and isinstance(subject, Reference)
                and subject.name.casefold() == name.casefold()
                for part in parts
                if isinstance(part, Binary) and one.evaluation.alone(part).truths != {True}
                for subject, symbol, _ in sides(part)
            )
    return False


def _chained(one: MacroExpression, node: Binary) -> Said | None:
    """``4 <= Cpus <= 16``."""
    inner = node.left
    if not isinstance(inner, Binary):
        return None
    if not {node.operator, inner.operator} <= ORDER:
        return None
    message = f"`{one.shown(node)}` compares true or false with `{one.shown(node.right)}`"
    both = f"{one.shown(inner)} && {one.shown(inner.right)} {node.operator} {one.shown(node.right)}"
    always = one.evaluation.alone(node).truths == {True}
    return ALWAYS_TRUE if always else NEVER_TRUE, message, node, f"write `{both}`"


@looks_at(Per.NODE)
def one_or_another(one: MacroExpression, node: Node) -> Iterator[Diagnostic]:
    """``x != 1 || x != 2``: one of them is true of everything."""
    if one.words.isdisjoint(_UNLIKE):
        return
    seen: dict[tuple[str | None, str], ClassAdValue] = {}
    parts = (part for part in disjuncts(node) if isinstance(part, Binary))
    unlike = (part for part in parts if part.operator in _UNLIKE)
    for subject, other in (pair for part in unlike for pair in _pairs(part)):
        if isinstance(other, Literal) and not isinstance(other.value, Value):
            key = scope_of(subject), subject.name.casefold()
            if seen.setdefault(key, other.value) != other.value:
                message = f"{subject.name} is always unlike one or the other of these values"
                yield one.say(ALWAYS_TRUE, message, node, "did you mean `&&`?")
                return


def _not_in_future(one: MacroExpression, node: Binary) -> Said | None:
    """``time() - JobStartDate >= 0``: time since something that has happened."""
    span, least = bare(node.left), number(node.right)
    if not isinstance(span, Binary) or span.operator != "-" or least is None:
        return None
    clock, date = one.evaluation.alone(span.left), bare(span.right)
    if not isinstance(date, Reference) or not _HAPPENED.match(date.name) or clock.unit != DATE:
        return None
    late = least < 0 or (least == 0 and node.operator == ">=")
    if not late or node.operator not in (">", ">="):
        return None
    return ALWAYS_TRUE, f"`{one.shown(node)}` is always true: {date.name} has passed", node, None


def _is_bounded(one: MacroExpression, subject: Reference, other: Node) -> bool:
    """Is it one of few values, wherever it is, or compared with what a macro says?"""
    if isinstance(other, Literal) and number(other) == 0:
        return True
    row = find_attribute(subject.name)
    return row is not None and (bool(row.values) or row.range[1] < float("inf"))


def _is_idle(one: MacroExpression, side: Node) -> bool:
    """May it be a way to ask for being there?  Not if it comes from a macro."""
    inner = bare(side)
    if isinstance(inner, Literal) and isinstance(inner.value, bool):
        return True
    return number(inner) == 0 and not one.macros[inner.start]


def _units(one: MacroExpression, node: Binary) -> Said | None:
    """Unlike units; dates and spans of time have a finding of their own."""
    left, right = (one.evaluation.alone(side) for side in (node.left, node.right))
    if left.unit == right.unit or left.unit not in _MEASURES or right.unit not in _MEASURES:
        return None
    message = f"`{one.shown(node)}` compares {left.unit} with {right.unit}"
    return UNLIKE_UNITS, message, node, None


def _equality(one: MacroExpression, node: Binary) -> Said | None:
    """Equality with a value that has been through single precision."""
    for subject, other in _pairs(node) if node.operator in EQUALITY | IDENTITY else ():
        entry = find_ephemeral(subject.name)
        compared = not isinstance(other, Literal) or number(other) is not None
        if entry is not None and entry.rounded and compared:
            message = f"`{entry.name}` has been through single precision"
            return SINGLE_PRECISION, message, node, "compare with a margin"
    return None


#: What is asked of a comparison, the most particular first.
_CHECKS: Final = (
    *(_chained, _word, _words, _case, _no_such_group, _never, _always),
    *(_not_in_future, _units, _equality),
)
