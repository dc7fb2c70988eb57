"""Checks preemption by the negotiator: policies that never, always or too often preempt.

Follows: preemption in the negotiation cycle of 25.14.1: PREEMPTION_REQUIREMENTS alone gates it, a
better priority is not asked for besides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from classad.errors import Diagnostic
from classad.language.operators import MIRRORED
from classad.syntax.nodes import Binary, Call, Literal, Node, Reference, bare, walk
from policy.knobs import matching as matching
from policy.lint.expressions import MacroExpression
from policy.lint.finding import WARNING, Finding
from policy.lint.places import spot
from policy.lint.trees import comparisons, conjuncts, disjuncts, names, number, references
from policy.lint.view import Setting, View
from policy.values.domain import single_number

CONSTANT: Final = Finding(
    "P501",
    WARNING,
    "PREEMPTION_REQUIREMENTS that is constant",
    "It looks at neither job and says the same of all slots. To switch preemption off say `False`.",
    "PREEMPTION_REQUIREMENTS = 60 > 3600\n",
    "PREEMPTION_REQUIREMENTS = False\n",
)
ALWAYS: Final = Finding(
    "P502",
    WARNING,
    "PREEMPTION_REQUIREMENTS that allows everything",
    "Since a better priority is not required besides, `True`, or a setting to nothing, lets"
    " everybody preempt everybody else, in every cycle.",
    "PREEMPTION_REQUIREMENTS = True\n",
    "PREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmitterUserPrio * 1.2\n",
)
NOT_BOOLEAN: Final = Finding(
    "P503",
    WARNING,
    "PREEMPTION_REQUIREMENTS that is not a condition",
    "Only the boolean true allows a preemption; a number, also 1, does not.",
    "PREEMPTION_REQUIREMENTS = RemoteUserPrio - SubmitterUserPrio * 1.2\n",
    "PREEMPTION_REQUIREMENTS = RemoteUserPrio - SubmitterUserPrio * 1.2 > 0\n",
)
NOT_STABLE: Final = Finding(
    "P504",
    WARNING,
    "an expression declared stable that reads usage",
    "Usage changes with every match of a cycle. An expression that reads it and is declared stable"
    " is not evaluated again for the later entries of a match list.",
    "GROUP_NAMES = a\nGROUP_QUOTA_a = 5\nPREEMPTION_REQUIREMENTS_STABLE = True\n"
    "PREEMPTION_REQUIREMENTS = RemoteGroupResourcesInUse > RemoteGroupQuota\n",
    "GROUP_NAMES = a\nGROUP_QUOTA_a = 5\nPREEMPTION_REQUIREMENTS_STABLE = False\n"
    "PREEMPTION_REQUIREMENTS = RemoteGroupResourcesInUse > RemoteGroupQuota\n",
)
THRASHING: Final = Finding(
    "P505",
    WARNING,
    "preemption without a margin or a minimum run time",
    "A preempted user's priority gets better, the preempting one's worse, until the comparison"
    " turns round and the jobs preempt each other in turns. Ask for a margin (1.2 is customary) or"
    " for a minimum time in the state, or give jobs a retirement time.",
    "PREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmitterUserPrio\n",
    "PREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmitterUserPrio * 1.2\n",
)
REVERSED: Final = Finding(
    "P506",
    WARNING,
    "a comparison of priorities the wrong way round",
    "A greater priority value is a worse priority: the claim to be preempted should have the"
    " greater one.",
    "PREEMPTION_REQUIREMENTS = SubmitterUserPrio > RemoteUserPrio * 1.2\n",
    "PREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmitterUserPrio * 1.2\n",
)
WRONG_SIDE: Final = Finding(
    "P507",
    WARNING,
    "a margin on the wrong side of a comparison of priorities",
    "The margin has to make preemption harder. Here it makes it easier: the claim of a user with"
    " the better priority is preempted, too.",
    "PREEMPTION_REQUIREMENTS = RemoteUserPrio * 1.2 > SubmitterUserPrio\n",
    "PREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmitterUserPrio * 1.2\n",
)

YOUNGEST: Final = Finding(
    "P508",
    WARNING,
    "a minimum time in the state that is a maximum",
    "`<` lets only the claims that have just begun be preempted, and none that has run for long.",
    "PREEMPTION_REQUIREMENTS = $(StateTimer) < 3600 && RemoteUserPrio > SubmitterUserPrio * 1.2\n",
    "PREEMPTION_REQUIREMENTS = $(StateTimer) > 3600 && RemoteUserPrio > SubmitterUserPrio * 1.2\n",
    observed="Observed with 25.14.1: of two claims of one user the negotiator took the one that was"
    " a minute old, and refused to take that of yesterday.",
)

_REQUEST_PRIO: Final = frozenset(("submitteruserprio", "submittorprio"))
#: Words in attribute names that tell of time: how long, since when.
_TIMELY: Final = ("time", "entered", "start", "birth", "age", "duration", "wallclock", "qdate")
#: The limit at which a difference or a quotient of two says that they are equal.
_NEUTRAL: Final = {"-": 0.0, "/": 1.0}
_ARITHMETIC: Final = frozenset(("+", "-", "*", "/", "%"))


def check_preemption(view: View, expressions: Iterable[MacroExpression]) -> Iterator[Diagnostic]:
    """Everything about preemption by the negotiator."""
    by_setting = {id(one.setting): one for one in expressions}
    for setting in view.settings:
        if setting.knob is not None and setting.knob.use is not None and setting.knob.use.stable_by:
            yield from _stability(setting, setting.knob.use.stable_by)
    if not view.value(matching.NEGOTIATOR_CONSIDER_PREEMPTION):
        return
    for setting in view.of(matching.PREEMPTION_REQUIREMENTS):
        reading = setting.reading
        if reading is None or reading.diagnostic is not None:
            continue
        if setting.tree is None:
            message = "set to nothing, it allows every preemption"
            yield ALWAYS.on(setting.entry, message, "say `False` to allow none")
        elif id(setting) in by_setting:
            yield from _requirements(view, by_setting[id(setting)])


def _stability(setting: Setting, declaration: str) -> Iterator[Diagnostic]:
    declared = setting.config.lookup(declaration)
    if setting.tree is None or setting.reading is None or declared is None:
        return
    text = setting.beside(declaration)
    if declared.is_builtin or text.strip().casefold() not in ("true", "1"):
        return
    for node in references(setting.tree):
        if node.name.casefold().endswith("resourcesinuse"):
            where = spot(setting, node)
            message = f"`{node.name}` changes during a cycle, and {declaration} is true"
            yield NOT_STABLE.at(message, *where, f"say `{declaration} = False`")
            return


def _requirements(view: View, one: MacroExpression) -> Iterator[Diagnostic]:
    setting, tree = one.setting, one.tree
    top = bare(tree)
    if isinstance(top, Literal) and top.value is True:
        yield ALWAYS.on(setting.entry, "it allows every preemption")
        return
    if isinstance(top, Literal) and top.value is False:
        return
    constant = not names(tree) and not any(isinstance(node, Call) for node in walk(tree))
    if constant and one.said:
        return
    if constant:
        one.said.add(CONSTANT.id)
        message = "PREEMPTION_REQUIREMENTS is constant"
        yield CONSTANT.on(setting.entry, message, "say `False` to allow no preemption")
        return
    if isinstance(top, Binary) and top.operator in _ARITHMETIC:
        message = "PREEMPTION_REQUIREMENTS is a number, which never allows a preemption"
        yield NOT_BOOLEAN.on(setting.entry, message, "compare it with something")
        return
    yield from _priorities(view, one)


def _priorities(view: View, one: MacroExpression) -> Iterator[Diagnostic]:
    guard = _has_run_time_guard(one.tree) or _has_retirement(view)
    for node in comparisons(one.tree):
        if _is_under_quota(node):
            message = "this is true where the claim's group is below its quota, or one's own above"
            yield one.say(REVERSED, message, node, "usage above the quota is what to take from")
        if _is_youth(one, node):
            yield one.say(YOUNGEST, "only claims that have just begun are preempted", node)
            continue
        sides = _compared(node) or _joined(one, node)
        if sides is None or (_compared(node) is None and _bounds_another(one, node, sides)):
            continue
        operator, margin, backwards = sides
        if operator in (">", ">=") and backwards:
            message = "the margin makes preemption easier, not harder"
            help_text = "as in `RemoteUserPrio > SubmitterUserPrio * 1.2`"
            yield one.say(WRONG_SIDE, message, node, help_text)
            continue
        if operator in ("<", "<="):
            message = "this is true where the running user has the better priority"
            yield one.say(REVERSED, message, node, "greater values of priorities are worse")
        elif operator in (">", ">=") and not margin and not guard:
            message = "nothing keeps two users from preempting each other in turns"
            help_text = "ask for a margin, as in `RemoteUserPrio > SubmitterUserPrio * 1.2`"
            yield one.say(THRASHING, message, node, help_text)


def _is_youth(one: MacroExpression, node: Binary) -> bool:
    """Is it how long the slot has been in its state, and less than so many minutes?"""
    operator = node.operator
    for side, other in ((bare(node.left), node.right), (bare(node.right), node.left)):
        limit = single_number(one.evaluation.alone(other))
        timer = isinstance(side, Binary) and side.operator == "-" and limit is not None
        if timer and names(side) <= {"currenttime", "enteredcurrentstate"} and names(side):
            return operator in ("<", "<=") and (limit or 0) > 0
        operator = MIRRORED.get(operator, operator)
    return False


def _is_under_quota(node: Binary) -> bool:
    """Does it ask for usage on the wrong side of a group's quota?"""
    left, right = bare(node.left), bare(node.right)
    operator = node.operator
    if not isinstance(left, Reference) or not isinstance(right, Reference):
        return False
    if left.name.casefold().endswith("quota"):
        left, right, operator = right, left, MIRRORED.get(operator, operator)
    wrong = {
        ("remotegroupresourcesinuse", "remotegroupquota"): ("<", "<="),
        ("submittergroupresourcesinuse", "submittergroupquota"): (">", ">="),
    }
    return operator in wrong.get((left.name.casefold(), right.name.casefold()), ())


#: An operator read as ``remote operator submitter``, whether there is more to it, and whether
#: that makes preemption easier.
_Sides = tuple[str, bool, bool]


def _joined(one: MacroExpression, node: Binary) -> _Sides | None:
    """The same of a difference or a quotient of the two, in a comparison that has to hold."""
    if not _has_to_hold(one.tree, node):
        return None
    for side, other, operator in (
        (bare(node.left), node.right, node.operator),
        (bare(node.right), node.left, MIRRORED.get(node.operator, node.operator)),
    ):
        limit = single_number(one.evaluation.alone(other))
        if limit is None or not isinstance(side, Binary) or side.operator not in _NEUTRAL:
            continue
        above = limit - _NEUTRAL[side.operator]
        over, under = (
            isinstance(part, Reference) and part.name.casefold()
            for part in (bare(side.left), bare(side.right))
        )
        if over in _REQUEST_PRIO and under == "remoteuserprio":
            operator, above = MIRRORED.get(operator, operator), -above
        elif over != "remoteuserprio" or under not in _REQUEST_PRIO:
            continue
        return operator, above != 0, above < 0
    return None


def _bounds_another(one: MacroExpression, node: Binary, sides: _Sides) -> bool:
    """Is it an upper bound beside a comparison that is the right way round?"""
    if sides[0] not in ("<", "<="):
        return False
    others = (other for other in comparisons(one.tree) if other is not node)
    found = (_compared(other) or _joined(one, other) for other in others)
    return any(other is not None and other[0] in (">", ">=") for other in found)


def _has_to_hold(tree: Node, node: Binary) -> bool:
    """Is it one of the alternatives of the whole, or what one of them asks for?"""
    return any(part is node for one in disjuncts(tree) for part in conjuncts(one)) or any(
        part is node for one in conjuncts(tree) for part in disjuncts(one)
    )


def _compared(node: Binary) -> _Sides | None:
    """How the priorities of the two users are compared, if they are."""
    left, right = names(node.left), names(node.right)
    operator = node.operator
    if left == {"remoteuserprio"} and right and right <= _REQUEST_PRIO:
        pass
    elif right == {"remoteuserprio"} and left and left <= _REQUEST_PRIO:
        operator = MIRRORED.get(operator, operator)
    else:
        return None
    plain = all(isinstance(bare(side), Reference) for side in (node.left, node.right))
    if not _only_scaled(node):
        return "", True, False
    return operator, not plain, not plain and _is_backwards(node)


def _is_backwards(node: Binary) -> bool:
    """Is the running user's side made greater, or the other one's smaller?"""
    remote, other = node.left, node.right
    if node.operator in ("<", "<="):
        remote, other = other, remote
    return _factor(bare(remote)) > _factor(bare(other))


def _factor(side: Node) -> float:
    """What a side makes of a priority of 1000."""
    if not isinstance(side, Binary):
        return 1000.0
    left, right = number(side.left), number(side.right)
    a, b = 1000.0 if left is None else left, 1000.0 if right is None else right
    values = {"*": a * b, "/": a / b if b else 0.0, "+": a + b, "-": a - b}
    return values.get(side.operator, 1000.0)


def _only_scaled(node: Binary) -> bool:
    """Are both sides a priority, perhaps times, over, plus or minus a constant?"""
    return all(_scaled(bare(side)) for side in (node.left, node.right))


def _scaled(side: Node) -> bool:
    if isinstance(side, Reference):
        return True
    if not isinstance(side, Binary) or side.operator not in _ARITHMETIC:
        return False
    left, right = bare(side.left), bare(side.right)
    pairs = ((left, number(right)), (right, number(left)))
    return any(isinstance(one, Reference) and value is not None for one, value in pairs)


def _has_run_time_guard(tree: Node) -> bool:
    for name in names(tree):
        if any(word in name for word in _TIMELY):
            return True
    return any(isinstance(node, Call) and node.name.casefold() == "time" for node in walk(tree))


def _has_retirement(view: View) -> bool:
    """May jobs run on for a while before a preemption ends them?"""
    for setting in view.settings:
        if setting.macro.casefold() == "maxjobretirementtime" and setting.tree is not None:
            value = number(setting.tree)
            if value is None or value > 0:
                return True
    return False
