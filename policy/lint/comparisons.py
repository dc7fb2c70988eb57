"""Checks comparisons and operators that cannot do what they seem to.

Follows: comparison in the ClassAd language; types and ranges of ``policy.ephemeral``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeGuard

from classad.errors import Diagnostic
from classad.language.operators import EQUALITY, IDENTITY, MIRRORED
from classad.syntax.nodes import Binary, Literal, Node, Reference, walk
from policy.ephemeral import find_ephemeral
from policy.lint.finding import WARNING, Finding
from policy.lint.places import spot
from policy.lint.trees import bare, comparisons, conjuncts, is_undefined, number
from policy.lint.view import Setting, View

NEVER_TRUE: Final = Finding(
    "P410",
    WARNING,
    "a comparison that can never be true",
    "The types do not fit, the bounds exclude each other, or the value cannot be in that range:"
    " effective priorities are never below 0.5, usage and quotas never below 0, and `=?=` is false"
    " between an integer and a real.",
    "PREEMPTION_REQUIREMENTS = RemoteUserPrio > 10 && RemoteUserPrio < 5 || RemoteUserPrio > 900\n",
    "PREEMPTION_REQUIREMENTS = RemoteUserPrio > 5 && RemoteUserPrio < 10 || RemoteUserPrio > 900\n",
)
UNDEFINED_OPERAND: Final = Finding(
    "P411",
    WARNING,
    "a comparison with UNDEFINED that is always undefined",
    "Only `=?=`, `=!=` and isUndefined() can tell that an attribute is not there.",
    "START = RemoteOwner == UNDEFINED\n",
    "START = RemoteOwner =?= UNDEFINED\n",
)
UNQUOTED: Final = Finding(
    "P412",
    WARNING,
    "a word without quotes",
    "Without quotes it is the name of an attribute, which nobody defines.",
    "NEGOTIATOR_SLOT_CONSTRAINT = State == Unclaimed\n",
    'NEGOTIATOR_SLOT_CONSTRAINT = State == "Unclaimed"\n',
)
BITWISE: Final = Finding(
    "P413",
    WARNING,
    "a single `&` or `|` between conditions",
    "These work on the bits of integers; with a boolean they are an error.",
    'NEGOTIATOR_SLOT_CONSTRAINT = Memory > 1024 & Arch == "X86_64"\n',
    'NEGOTIATOR_SLOT_CONSTRAINT = Memory > 1024 && Arch == "X86_64"\n',
)
SINGLE_PRECISION: Final = Finding(
    "P414",
    WARNING,
    "equality with a value of single precision",
    "RemoteUserPrio and RemoteUserResourcesInUse have been through single precision, while their"
    " `Submitter...` counterparts have not: equal values seldom compare equal.",
    "PREEMPTION_RANK = ifThenElse(RemoteUserPrio == SubmitterUserPrio, 0, RemoteUserPrio)\n",
    "PREEMPTION_RANK = ifThenElse(RemoteUserPrio <= SubmitterUserPrio * 1.01, 0, RemoteUserPrio)\n",
)

_STRINGS: Final = frozenset(
    (
        *("state", "activity", "arch", "opsys", "opsysandver", "owner", "user", "remoteowner"),
        *("remoteuser", "machine", "name", "accountinggroup", "acctgroup", "acctgroupuser"),
        *("uiddomain", "filesystemdomain", "slottype", "remotegroup", "submittergroup"),
    )
)
_INTEGERS: Final = frozenset(
    (
        *("cpus", "memory", "disk", "requestcpus", "requestmemory", "requestdisk", "jobuniverse"),
        *("jobprio", "keyboardidle", "consoleidle", "totalcpus", "totalmemory", "slotid", "mips"),
        *("kflops", "jobstatus", "clusterid", "procid", "enteredcurrentstate"),
    )
)
_VALUES: Final = {
    "state": (*("Owner", "Unclaimed", "Matched", "Claimed", "Preempting", "Backfill", "Drained"),),
    "activity": (
        *("Idle", "Busy", "Suspended", "Vacating", "Killing", "Benchmarking", "Retiring"),
    ),
}
_WORDS: Final = frozenset(
    (
        *("unclaimed", "matched", "claimed", "preempting", "drained", "backfill", "idle", "busy"),
        *("suspended", "vacating", "killing", "benchmarking", "retiring", "linux", "windows"),
        *("x86_64", "aarch64", "intel", "ppc64le", "macos", "osx", "static", "partitionable"),
    )
)
_Where = tuple[str, Node]


def check_comparisons(view: View) -> Iterator[Diagnostic]:
    """Everything about comparisons."""
    for setting in view.expressions():
        assert setting.tree is not None
        assert setting.reading is not None
        for kind, message, node, help_text in _findings(view, setting):
            where = spot(setting, node)
            yield kind.at(message, *where, help_text)


_Found = tuple[Finding, str, Node, str | None]


def _findings(view: View, setting: Setting) -> Iterator[_Found]:
    tree = setting.tree
    assert tree is not None
    for node in comparisons(tree):
        yield from _one(view, node)
    for inner in walk(tree):
        if isinstance(inner, Binary) and inner.operator == "&&":
            yield from _bounds(inner)
        elif _is_bitwise(inner):
            twice = inner.operator * 2
            yield BITWISE, f"`{inner.operator}` works on bits", inner, f"did you mean `{twice}`?"


def _is_bitwise(node: Node) -> TypeGuard[Binary]:
    """Is it ``&`` or ``|`` with a comparison on one side?"""
    if not isinstance(node, Binary) or node.operator not in ("&", "|"):
        return False
    return any(_is_condition(side) for side in (node.left, node.right))


def _is_condition(node: Node) -> bool:
    return any(True for _ in comparisons(node))


def _one(view: View, node: Binary) -> Iterator[_Found]:
    identity = node.operator in IDENTITY
    if not identity and (is_undefined(node.left) or is_undefined(node.right)):
        instead = "=!=" if node.operator == "!=" else "=?="
        message = f"`{node.operator}` with UNDEFINED is always undefined"
        yield UNDEFINED_OPERAND, message, node, f"did you mean `{instead}`?"
        return
    for side, other, operator in (
        (node.left, node.right, node.operator),
        (node.right, node.left, MIRRORED.get(node.operator, node.operator)),
    ):
        subject = bare(side)
        if not isinstance(subject, Reference):
            continue
        yield from _word(view, subject, other)
        why = _impossible(subject.name, operator, bare(other))
        if why is not None:
            yield NEVER_TRUE, why, node, None
            return
        yield from _equality(subject, operator, bare(other), node)


def _word(view: View, subject: Reference, other: Node) -> Iterator[_Found]:
    if subject.base is None and subject.name.casefold() in _WORDS:
        known = any(s.macro.casefold() == subject.name.casefold() for s in view.settings)
        if not known and isinstance(bare(other), Reference):
            message = f"`{subject.name}` is not quoted, so it is an attribute"
            yield UNQUOTED, message, subject, f'did you mean `"{subject.name}"`?'


def _equality(subject: Reference, operator: str, other: Node, node: Node) -> Iterator[_Found]:
    entry = find_ephemeral(subject.name)
    if entry is None or not entry.rounded or operator not in EQUALITY | IDENTITY:
        return
    if is_undefined(other) or (isinstance(other, Literal) and number(other) is None):
        return
    message = f"`{entry.name}` has been through single precision"
    yield SINGLE_PRECISION, message, node, "compare with a margin"


def _type(name: str) -> str | None:
    """``string``, ``integer`` or ``real`` where it is certain."""
    entry = find_ephemeral(name)
    if entry is not None:
        return entry.type if entry.type in ("string", "integer", "real") else None
    folded = name.casefold()
    return "string" if folded in _STRINGS else "integer" if folded in _INTEGERS else None


def _impossible(name: str, operator: str, other: Node) -> str | None:
    """Why ``name operator other`` is never true, if other is a constant."""
    mine = _type(name)
    value = number(other)
    is_text = isinstance(other, Literal) and isinstance(other.value, str)
    if operator in ("!=", "=!="):
        return None
    if mine == "string" and value is not None:
        return f"`{name}` is a string and never equals or exceeds a number"
    if mine in ("integer", "real") and is_text:
        return f"`{name}` is a number, and the other side a string"
    if is_text and operator in ("==", "=?="):
        assert isinstance(other, Literal)
        return _no_such_value(name, str(other.value))
    if value is None or mine is None:
        return None
    if operator == "=?=" and isinstance(other, Literal):
        is_real = isinstance(other.value, float)
        if is_real != (mine == "real"):
            return f"`{name}` is {'a real' if mine == 'real' else 'an integer'}, `=?=` is false"
    return _out_of_range(name, operator, value)


def _no_such_value(name: str, text: str) -> str | None:
    values = _VALUES.get(name.casefold())
    if values is None or text.casefold() in {value.casefold() for value in values}:
        return None
    return f'{name} is never "{text}"; it is one of {", ".join(values)}'


def _out_of_range(name: str, operator: str, value: float) -> str | None:
    entry = find_ephemeral(name)
    least = 0.0
    if entry is not None and entry.unit == "priority":
        least = 0.5
    elif entry is None or entry.unit != "weighted slots":
        return None
    below = (operator == "<" and value <= least) or (
        operator in ("<=", "==", "=?=") and value < least
    )
    return f"`{name}` is never below {least:g}" if below else None


def _bounds(node: Binary) -> Iterator[_Found]:
    """Bounds on one attribute, in one chain of ``&&``, that exclude each other."""
    low: dict[str, tuple[float, bool]] = {}
    high: dict[str, tuple[float, bool]] = {}
    for part in conjuncts(node):
        bound = _bound(part)
        if bound is None:
            continue
        name, operator, value = bound
        strict = operator in "<>"
        if operator in (">", ">=", "=="):
            low[name] = max(low.get(name, (value, strict)), (value, strict))
        if operator in ("<", "<=", "=="):
            best = high.get(name, (value, strict))
            high[name] = min(best, (value, strict), key=lambda pair: (pair[0], not pair[1]))
    for name, (least, open_low) in low.items():
        most, open_high = high.get(name, (float("inf"), False))
        if least > most or (least == most and (open_low or open_high)):
            message = f"`{name}` cannot be above {least:g} and below {most:g} at once"
            if not open_low and not open_high:
                message = f"`{name}` cannot be {least:g} and {most:g} at once"
            yield NEVER_TRUE, message, node, None
            return


def _bound(part: Node) -> tuple[str, str, float] | None:
    if not isinstance(part, Binary):
        return None
    operator = part.operator
    left, right = bare(part.left), bare(part.right)
    if isinstance(right, Reference):
        left, right, operator = right, left, MIRRORED.get(operator, operator)
    value = number(right)
    if not isinstance(left, Reference) or value is None:
        return None
    if operator not in ("<", "<=", ">", ">=", "=="):
        return None
    scope = f"{left.base.name}." if isinstance(left.base, Reference) else ""
    return f"{scope}{left.name}".casefold(), operator, value
