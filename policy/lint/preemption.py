"""Checks preemption by the negotiator, and ranks.

Policies that never, always or too often preempt; terms of a rank that single precision swallows,
and ranks that look at one side only.

Follows: preemption in the negotiation cycle of 25.14.1: PREEMPTION_REQUIREMENTS alone gates it, a
better priority is not asked for besides.  Its ranks go through single precision; a startd's RANK
compares jobs.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import frexp
from typing import Final, NamedTuple

from classad.errors import Diagnostic
from classad.language.operators import MIRRORED
from classad.syntax.nodes import Binary, Call, Literal, Node, Reference, Unary, bare
from policy.attributes import DATE, find_attribute
from policy.explain.roles import may_read
from policy.knobs.declaration import Wanted
from policy.knobs.matching import NEGOTIATOR_CONSIDER_PREEMPTION, PREEMPTION_REQUIREMENTS
from policy.lint.expressions import MacroExpression
from policy.lint.finding import EVERY_OTHER, NOTE, Finding, Per, finding, looks_at
from policy.lint.trees import conjuncts, disjuncts, names, number, references, scope_of, sides
from policy.lint.view import Setting, View
from policy.values.domain import ANYTHING, single_number

_REQUEST_PRIO: Final = frozenset(("submitteruserprio", "submittorprio"))
#: What the time in a state is computed from.
_STATE_TIMER: Final = frozenset(("currenttime", "enteredcurrentstate"))
#: Words in attribute names that tell of time: how long, since when.
_TIMELY: Final = ("time", "entered", "start", "birth", "age", "duration", "wallclock", "qdate")
#: The limit at which a difference or a quotient of two says that they are equal.
_NEUTRAL: Final = {"-": 0.0, "/": 1.0}
_ARITHMETIC: Final = frozenset(("+", "-", "*", "/", "%"))
#: Usage on the wrong side of a group's quota.
_UNDER_QUOTA: Final = (
    "RemoteGroupResourcesInUse < RemoteGroupQuota",
    "RemoteGroupResourcesInUse <= RemoteGroupQuota",
    "SubmitterGroupResourcesInUse > SubmitterGroupQuota",
    "SubmitterGroupResourcesInUse >= SubmitterGroupQuota",
)


def _is_asked(view: View) -> bool:
    return bool(view.value(NEGOTIATOR_CONSIDER_PREEMPTION))


def _is_sum(one: MacroExpression) -> bool:
    top = bare(one.tree)
    return isinstance(top, Binary) and top.operator in _ARITHMETIC


def _varies(one: MacroExpression) -> bool:
    return bool(one.names) or bool(one.of_kind(Call))


@finding(
    "P501",
    "PREEMPTION_REQUIREMENTS that is constant",
    "It looks at neither job and says the same of all slots. To switch preemption off say `False`.",
    "PREEMPTION_REQUIREMENTS = 60 > 3600\n",
    "PREEMPTION_REQUIREMENTS = False\n",
    per=Per.EXPRESSION,
    of=PREEMPTION_REQUIREMENTS,
    after=(EVERY_OTHER,),
)
def constant(one: MacroExpression) -> Iterator[Diagnostic]:
    is_truth = bare(one.tree) in (Literal(True), Literal(False))
    if _is_asked(one.view) and not is_truth and not _varies(one):
        one.said.add(constant.id)
        message = "PREEMPTION_REQUIREMENTS is constant"
        yield constant.on(one.setting.entry, message, "say `False` to allow no preemption")


@finding(
    "P502",
    "PREEMPTION_REQUIREMENTS that allows everything",
    "Since a better priority is not required besides, `True`, or a setting to nothing, lets"
    " everybody preempt everybody else, in every cycle.",
    "PREEMPTION_REQUIREMENTS = True\n",
    "PREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmitterUserPrio * 1.2\n",
    of=PREEMPTION_REQUIREMENTS,
)
def always(view: View, setting: Setting) -> Iterator[Diagnostic]:
    reading, tree = setting.reading, setting.tree
    if not _is_asked(view) or reading is None or reading.diagnostic is not None:
        return
    if tree is None:
        if not may_read(view.config, setting.macro):
            return  # what it should come to is defined where it is read
        message = "set to nothing, it allows every preemption"
        yield always.on(setting.entry, message, "say `False` to allow none")
    elif bare(tree) == Literal(True):
        yield always.on(setting.entry, "it allows every preemption")


@finding(
    "P503",
    "PREEMPTION_REQUIREMENTS that is not a condition",
    "Only the boolean true allows a preemption; a number, also 1, does not.",
    "PREEMPTION_REQUIREMENTS = RemoteUserPrio - SubmitterUserPrio * 1.2\n",
    "PREEMPTION_REQUIREMENTS = RemoteUserPrio - SubmitterUserPrio * 1.2 > 0\n",
    per=Per.EXPRESSION,
    of=PREEMPTION_REQUIREMENTS,
)
def not_boolean(one: MacroExpression) -> Iterator[Diagnostic]:
    if _is_sum(one) and _is_asked(one.view) and _varies(one):
        message = "PREEMPTION_REQUIREMENTS is a number, which never allows a preemption"
        yield not_boolean.on(one.setting.entry, message, "compare it with something")


@finding(
    "P504",
    "an expression declared stable that reads usage",
    "Usage changes with every match of a cycle. An expression that reads it and is declared stable"
    " is not evaluated again for the later entries of a match list.",
    "GROUP_NAMES = a\nGROUP_QUOTA_a = 5\nPREEMPTION_REQUIREMENTS_STABLE = True\n"
    "PREEMPTION_REQUIREMENTS = RemoteGroupResourcesInUse > RemoteGroupQuota\n",
    "GROUP_NAMES = a\nGROUP_QUOTA_a = 5\nPREEMPTION_REQUIREMENTS_STABLE = False\n"
    "PREEMPTION_REQUIREMENTS = RemoteGroupResourcesInUse > RemoteGroupQuota\n",
    among=lambda view: view.expressions(),
)
def not_stable(view: View, setting: Setting) -> Iterator[Diagnostic]:
    use = None if setting.knob is None or setting.tree is None else setting.knob.use
    declared = setting.config.lookup(use.stable_by) if use is not None and use.stable_by else None
    if use is None or declared is None or declared.is_builtin:
        return
    if setting.beside(use.stable_by).strip().casefold() not in ("true", "1"):
        return
    for node in references(setting.tree) if setting.tree is not None else ():
        if node.name.casefold().endswith("resourcesinuse"):
            message = f"`{node.name}` changes during a cycle, and {use.stable_by} is true"
            yield setting.say(not_stable, message, node, f"say `{use.stable_by} = False`")
            return


THRASHING: Final = Finding(
    "P505",
    "preemption without a margin or a minimum run time",
    "A preempted user's priority gets better, the preempting one's worse, until the comparison"
    " turns round and the jobs preempt each other in turns. Ask for a margin (1.2 is customary) or"
    " for a minimum time in the state, or give jobs a retirement time.",
    "PREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmitterUserPrio\n",
    "PREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmitterUserPrio * 1.2\n",
)
REVERSED: Final = Finding(
    "P506",
    "a comparison of priorities the wrong way round",
    "A greater priority value is a worse priority: the claim to be preempted should have the"
    " greater one.",
    "PREEMPTION_REQUIREMENTS = SubmitterUserPrio > RemoteUserPrio * 1.2\n",
    "PREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmitterUserPrio * 1.2\n",
)
WRONG_SIDE: Final = Finding(
    "P507",
    "a margin on the wrong side of a comparison of priorities",
    "The margin has to make preemption harder. Here it makes it easier: the claim of a user with"
    " the better priority is preempted, too.",
    "PREEMPTION_REQUIREMENTS = RemoteUserPrio * 1.2 > SubmitterUserPrio\n",
    "PREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmitterUserPrio * 1.2\n",
)
YOUNGEST: Final = Finding(
    "P508",
    "a minimum time in the state that is a maximum",
    "`<` lets only the claims that have just begun be preempted, and none that has run for long.",
    "PREEMPTION_REQUIREMENTS = $(StateTimer) < 3600 && RemoteUserPrio > SubmitterUserPrio * 1.2\n",
    "PREEMPTION_REQUIREMENTS = $(StateTimer) > 3600 && RemoteUserPrio > SubmitterUserPrio * 1.2\n",
    observed="Observed with 25.14.1: of two claims of one user the negotiator took the one that was"
    " a minute old, and refused to take that of yesterday.",
)


@looks_at(Per.EXPRESSION, PREEMPTION_REQUIREMENTS)
def priorities(one: MacroExpression) -> Iterator[Diagnostic]:
    """What is compared with what, and which way round."""
    if not _is_asked(one.view) or _is_sum(one):
        return
    for node, _ in one.find(*_UNDER_QUOTA):
        message = "this is true where the claim's group is below its quota, or one's own above"
        yield one.say(REVERSED, message, node, "usage above the quota is what to take from")
    guard = _has_run_time_guard(one) or _has_retirement(one.view)
    for node in one.comparisons:
        if _is_youth(one, node):
            yield one.say(YOUNGEST, "only claims that have just begun are preempted", node)
            continue
        found = _compared(node) or _joined(one, node)
        if found is None or (_compared(node) is None and _bounds_another(one, node, found)):
            continue
        is_above = found.operator in (">", ">=")
        if is_above and found.easier:
            message = "the margin makes preemption easier, not harder"
            help_text = "as in `RemoteUserPrio > SubmitterUserPrio * 1.2`"
            yield one.say(WRONG_SIDE, message, node, help_text)
        elif found.operator in ("<", "<="):
            message = "this is true where the running user has the better priority"
            yield one.say(REVERSED, message, node, "greater values of priorities are worse")
        elif is_above and not found.margin and not guard:
            message = "nothing keeps two users from preempting each other in turns"
            help_text = "ask for a margin, as in `RemoteUserPrio > SubmitterUserPrio * 1.2`"
            yield one.say(THRASHING, message, node, help_text)


def _is_youth(one: MacroExpression, node: Binary) -> bool:
    """Is it how long the slot has been in its state, and less than so many minutes?"""
    for timer, operator, other in sides(node):
        limit = single_number(one.evaluation.alone(other))
        timed = isinstance(timer, Binary) and timer.operator == "-" and limit is not None
        if timed and names(timer) and names(timer) <= _STATE_TIMER:
            return operator in ("<", "<=") and (limit or 0) > 0
    return False


class _Compared(NamedTuple):
    """Two priorities, read as ``remote operator submitter``: whether there is a margin, and
    whether that makes preemption easier."""

    operator: str
    margin: bool
    easier: bool


def _compared(node: Binary) -> _Compared | None:
    """How the priorities of the two users are compared, if they are."""
    for remote, operator, other in sides(node):
        if names(remote) == {"remoteuserprio"} and names(other) and names(other) <= _REQUEST_PRIO:
            mine, theirs = _scaled(remote), _scaled(other)
            if mine is None or theirs is None:
                return _Compared("", True, False)
            plain = isinstance(remote, Reference) and isinstance(other, Reference)
            return _Compared(operator, not plain, mine > theirs)
    return None


def _scaled(side: Node) -> float | None:
    """What a priority, perhaps times, over, plus or minus a number, makes of one of 1000."""
    if isinstance(side, Reference):
        return 1000.0
    if not isinstance(side, Binary) or side.operator not in _ARITHMETIC:
        return None
    parts = bare(side.left), bare(side.right)
    a, b = map(number, parts)
    if not any(
        isinstance(part, Reference) and by is not None
        for part, by in zip(parts, (b, a), strict=True)
    ):
        return None
    a, b = 1000.0 if a is None else a, 1000.0 if b is None else b
    values = {"*": a * b, "/": a / b if b else 0.0, "+": a + b, "-": a - b}
    return values.get(side.operator, 1000.0)


def _joined(one: MacroExpression, node: Binary) -> _Compared | None:
    """The same of a difference or a quotient of the two, in a comparison that has to hold."""
    if not _has_to_hold(one.tree, node):
        return None
    for side, operator, other in sides(node):
        limit = single_number(one.evaluation.alone(other))
        if limit is None or not isinstance(side, Binary) or side.operator not in _NEUTRAL:
            continue
        above = limit - _NEUTRAL[side.operator]
        over, under = (
            part.name.casefold() if isinstance(part, Reference) else ""
            for part in (bare(side.left), bare(side.right))
        )
        if over == "remoteuserprio" and under in _REQUEST_PRIO:
            return _Compared(operator, above != 0, above < 0)
        if over in _REQUEST_PRIO and under == "remoteuserprio":
            return _Compared(MIRRORED.get(operator, operator), above != 0, above > 0)
    return None


def _bounds_another(one: MacroExpression, node: Binary, found: _Compared) -> bool:
    """Is it an upper bound beside a comparison that is the right way round?"""
    if found.operator not in ("<", "<="):
        return False
    others = (other for other in one.comparisons if other is not node)
    beside = (_compared(other) or _joined(one, other) for other in others)
    return any(other is not None and other.operator in (">", ">=") for other in beside)


def _has_to_hold(tree: Node, node: Binary) -> bool:
    """Is it one of the alternatives of the whole, or what one of them asks for?"""
    return any(part is node for one in disjuncts(tree) for part in conjuncts(one)) or any(
        part is node for one in conjuncts(tree) for part in disjuncts(one)
    )


def _has_run_time_guard(one: MacroExpression) -> bool:
    if any(word in name for name in one.names for word in _TIMELY):
        return True
    return any(isinstance(node, Call) and node.name.casefold() == "time" for node in one.nodes)


def _has_retirement(view: View) -> bool:
    """May jobs run on for a while before a preemption ends them?"""
    for setting in view.settings:
        if setting.folded == "maxjobretirementtime" and setting.tree is not None:
            value = number(setting.tree)
            if value is None or value > 0:
                return True
    return False


# --- ranks ----------------------------------------------------------------------------------------

#: Bits of the significand of a single.
_BITS: Final = 24
#: By how much values in a unit differ that one wants to tell apart.
_STEPS: Final = {
    "cpus": 1.0, "GPUs": 1.0, "MiB": 1024.0, "KiB": 1024.0**2, "s": 60.0, "load": 0.1,
    "weighted slots": 1.0, "": 1.0, "job priority": 1.0,
}  # fmt: skip


def _terms(node: Node) -> Iterator[Node]:
    """The terms of a sum."""
    stack = [node]
    while stack:
        top = bare(stack.pop())
        if isinstance(top, Binary) and top.operator in ("+", "-"):
            stack.extend((top.right, top.left))
        elif isinstance(top, Unary) and top.operator in "+-":
            stack.append(top.operand)
        else:
            yield top


@finding(
    "P430",
    "a term of a rank that single precision swallows",
    "The negotiator's ranks go through single precision, which has 24 bits: beside 1e10 everything"
    " below 1024 is nothing, and slots that should differ tie. A startd's RANK is compared in"
    " double precision.",
    "NEGOTIATOR_PRE_JOB_RANK = 1.0e12 * (RemoteOwner =?= UNDEFINED) - SlotID\n",
    "NEGOTIATOR_PRE_JOB_RANK = 1.0e5 * (RemoteOwner =?= UNDEFINED) - SlotID\n",
    observed="Observed with 25.14.1: recorded cycles of condor_negotiator; a startd whose RANK is"
    " 100000001 for its job takes one with 100000002 in its place.",
    per=Per.EXPRESSION,
)
def drowned(one: MacroExpression) -> Iterator[Diagnostic]:
    if one.use.wanted is not Wanted.NUMBER or not one.use.matching:
        return
    terms = list(_terms(one.tree))
    yield from _in_steps(one, terms)
    weighted = [(weight, term) for term in terms if (weight := _weight(one, term)) is not None]
    greatest, cause = max(weighted, key=lambda pair: pair[0], default=(0.0, one.tree))
    # Half of what the last bit is worth beside it.
    lost = 2.0 ** (frexp(greatest)[1] - _BITS) / 2 if weighted else 0.0
    for term in terms:
        step = _step(one, term)
        if term is not cause and step is not None and 0 < step < lost:
            message = f"`{one.shown(term)}` vanishes beside `{one.shown(cause)}`"
            yield one.say(drowned, message, term, "make the greater term smaller")


def _in_steps(one: MacroExpression, terms: list[Node]) -> Iterator[Diagnostic]:
    """A date from which no other one is taken: two of the same two minutes are one rank."""
    dates = [term for term in terms if one.evaluation.alone(term).unit == DATE]
    if len(dates) == 1 and not any(isinstance(term, Call) for term in terms):
        message = f"`{one.shown(dates[0])}` counts in steps of 128 s, in single precision"
        said = one.say(drowned, message, dates[0], "less `time()` it is small enough to be exact")
        said.severity = NOTE
        yield said


def _weight(one: MacroExpression, term: Node) -> float | None:
    """What a term is at least where it is not 0: the weight of a condition or a priority."""
    if not isinstance(term, Binary) or term.operator != "*":
        return None
    for weight, _, factor in sides(term):
        number = single_number(one.evaluation.alone(weight))
        value = one.evaluation.alone(factor)
        hull = value.hull()
        if number is None or hull is None:
            continue
        if value.truths and not value.is_measured:
            return abs(number)
        if hull[0] > 0:
            return abs(number) * hull[0]
        step = _step(one, factor)
        if step is not None:
            return abs(number) * step
    return None


def _step(one: MacroExpression, term: Node) -> float | None:
    """By how much a term differs between two slots, at least; None where nobody knows."""
    if isinstance(term, Binary) and term.operator == "*":
        for weight, _, factor in sides(term):
            number = single_number(one.evaluation.alone(weight))
            step = _step(one, factor)
            if number is not None and step is not None:
                return abs(number) * step
        return None
    if not isinstance(term, Reference):
        return None
    value = one.evaluation.alone(term)
    if value.truths and not value.is_measured:
        return 1.0
    known = value.is_measured and not value.has_text and not value.truths
    return _STEPS.get(value.unit) if known else None


@finding(
    "P431",
    "a rank that is the same for all that it compares",
    "A slot's RANK compares jobs, which are TARGET, so it has to look at the job; ranks of a job"
    " and of the negotiator compare slots.",
    "RANK = MY.Cpus * 10\n",
    "RANK = TARGET.RequestCpus * 10\n",
    per=Per.EXPRESSION,
)
def one_sided(one: MacroExpression) -> Iterator[Diagnostic]:
    """A rank without anything of the ads that it compares."""
    use = one.use
    if use.wanted is not Wanted.NUMBER or not one.name.casefold().endswith("rank"):
        return
    compared = "my" if one.use.matching else "target"
    kind = use.my if compared == "my" else use.target
    if not kind or not one.names or one.of_kind(Call):
        return
    for node in one.references:
        scope = scope_of(node)
        if node.base is not None and scope is None:
            return
        if scope is None and _is_of_other(node.name, kind):
            continue
        key, value = one.surroundings.look_up(scope or "", node.name)
        if key[0] in (compared, "") or value == ANYTHING:
            return
    what = {"job": "jobs", "slot": "slots"}.get(kind, kind)
    other = "the slot" if what == "jobs" else "the job"
    yield one.say(one_sided, f"{one.name} compares {what} and looks only at {other}", one.tree)


def _is_of_other(name: str, kind: str) -> bool:
    """Do ads of other kinds alone have the attribute, be it only now and then: RemoteOwner?"""
    row = find_attribute(name)
    return row is not None and bool(row.ads) and kind not in row.ads
