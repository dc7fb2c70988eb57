"""Checks conditions against the states of jobs and claims in which daemons ask for them.

Follows: the schedd and the startd of 25.14.1, which were given jobs in each state.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from classad.errors import Diagnostic
from classad.language.operators import COMPARISONS
from classad.patterns import late_regex
from classad.syntax.nodes import Binary, Literal, Node, Reference, bare
from policy.explain.roles import is_whole
from policy.knobs.declaration import Wanted
from policy.language.numbers import read_boolean
from policy.lint.comparisons import NEVER_TRUE
from policy.lint.expressions import MacroExpression
from policy.lint.finding import Per, finding, looks_at
from policy.lint.slips import PRECEDENCE
from policy.lint.trees import conjuncts, disjuncts, matched, scope_of, sides, tree_of
from policy.lint.view import Setting, View
from policy.lint.wholes import ALWAYS_AT_ALL
from policy.values.domain import constant, single_value
from policy.values.operators import binary

#: What the numbers of JobStatus say.
_STATES: Final = {
    1: "idle", 2: "running", 3: "removed", 4: "completed", 5: "held",
    6: "transferring output", 7: "suspended",
}  # fmt: skip
#: The states of jobs on which each of the periodic expressions acts.
_ASKED: Final = {
    "HOLD": (1, 2, 6, 7), "REMOVE": (1, 2, 4, 5, 6, 7), "RELEASE": (5,), "VACATE": (2, 6, 7),
}  # fmt: skip
_PERIODIC: Final = late_regex(r"SYSTEM_PERIODIC_(HOLD|REMOVE|RELEASE|VACATE)", re.IGNORECASE)
_SUSPEND: Final = r"(?:SLOT_TYPE_\d+_)?SUSPEND"


@looks_at(Per.EXPRESSION, of=r"SYSTEM_PERIODIC_(HOLD|REMOVE|RELEASE|VACATE)(_\w+)?")
def never_asked(one: MacroExpression) -> Iterator[Diagnostic]:
    """``SYSTEM_PERIODIC_HOLD = JobStatus == 5``: jobs that are held are not asked."""
    found = _PERIODIC.match(one.setting.macro)
    if found is None or one.use.wanted is not Wanted.CONDITION:
        return
    asked = _ASKED[found[1].upper()]
    for node in _has_to_hold(one.tree):
        for side, operator, other in sides(node):
            status = single_value(one.evaluation.alone(other))
            if not _is_status(side) or type(status) is not int or status not in _STATES:
                continue
            kept = (binary(operator, constant(state), constant(status)) for state in asked)
            if not any(True in value.truths for value in kept):
                message = f"`{one.shown(node)}` is true of no job that {one.name} acts on"
                yield one.say(NEVER_TRUE, message, node, _of_which(asked))
                break


#: What is done to all jobs of a state.
_DONE: Final = {"HOLD": "put on hold", "REMOVE": "removed"}


@looks_at(Per.EXPRESSION, of=r"SYSTEM_PERIODIC_(HOLD|REMOVE)(_\w+)?", after=(PRECEDENCE.id,))
def of_all_jobs(one: MacroExpression) -> Iterator[Diagnostic]:
    """``SYSTEM_PERIODIC_REMOVE = NumJobStarts > 5 || JobStatus == 2``."""
    found = _PERIODIC.match(one.setting.macro)
    if found is None or one.use.wanted is not Wanted.CONDITION or PRECEDENCE.id in one.said:
        return
    for part in disjuncts(one.tree):
        for side, operator, other in sides(part) if isinstance(part, Binary) else ():
            status = single_value(one.evaluation.alone(other))
            same = operator in ("==", "=?=") and _is_status(side)
            if same and type(status) is int and status in (1, 2):
                what = f"every {_STATES[status]} job is {_DONE[found[1].upper()]}"
                message = f"`{one.shown(part)}` is all that is asked for: {what}"
                yield one.say(ALWAYS_AT_ALL, message, part)


def _of_which(asked: tuple[int, ...]) -> str:
    others = [name for state, name in _STATES.items() if state not in asked]
    few = len(others) < len(asked)
    names = others if few else [_STATES[state] for state in asked]
    return f"it acts on {'no job' if few else 'jobs'} that {'is' if few else 'are'} " + (
        f"{', '.join(names[:-1])} or {names[-1]}" if len(names) > 1 else names[0]
    )


def _is_status(node: Node) -> bool:
    return (
        isinstance(node, Reference)
        and node.name.casefold() == "jobstatus"
        and (node.base is None or scope_of(node) == "my")
    )


def _has_to_hold(tree: Node) -> Iterator[Binary]:
    """The comparisons that are alternatives of a condition, or what an alternative asks for."""
    stack = [tree]
    while stack:
        node = bare(stack.pop())
        if isinstance(node, Binary) and node.operator in ("&&", "||"):
            stack += (node.right, node.left)
        elif isinstance(node, Binary) and node.operator in COMPARISONS:
            yield node


@finding(
    "P516",
    "a suspended job that is continued at once, or never",
    "A startd with WANT_SUSPEND suspends a job where SUSPEND is true, and continues it where"
    " CONTINUE is. Where the one is true and the other, too, it does both every few seconds."
    " CONTINUE is `True` if no file says otherwise; where it and PREEMPT are False, the job keeps"
    " its slot and does nothing there.",
    bad="WANT_SUSPEND = True\nSUSPEND = TotalLoadAvg > 0.5\nCONTINUE = TotalLoadAvg > 0.5\n",
    good="WANT_SUSPEND = True\nSUSPEND = TotalLoadAvg > 0.5\nCONTINUE = TotalLoadAvg < 0.3\n",
    of=_SUSPEND,
    elsewhere=True,
    observed="Observed with 25.14.1: its startd logs `SUSPEND is TRUE` and `CONTINUE is TRUE` in"
    " turn, and the job's log has `Job was suspended` and `Job was unsuspended` every two seconds."
    " With both False a job of 20 seconds was still suspended after 35.",
)
def in_turn(view: View, setting: Setting) -> Iterator[Diagnostic]:
    tree, text = setting.tree or tree_of(setting.text()), _of_slot(view, setting, "CONTINUE")
    continued = tree_of(text or "")
    if tree is None or text is None or continued is None or _is(setting, "WANT_SUSPEND", False):
        return
    for alternative in disjuncts(tree):
        asked = [*map(bare, conjuncts(alternative))]
        if Literal(False) in asked:
            continue  # as in `Scheduler =!= "…" && (FALSE)`, which asks for nothing
        if {text.casefold(), (_of_slot(view, setting, "PREEMPT") or "").casefold()} == {"false"}:
            message = "a job that is suspended stays so: CONTINUE and PREEMPT are False"
            help_text = "CONTINUE should be true where the job may go on"
            yield setting.say(in_turn, message, setting.whole(), help_text)
            return
        for again in disjuncts(continued):
            if all(
                part == Literal(True) or any(matched(part, one) is not None for one in asked)
                for part in map(bare, conjuncts(again))
            ):
                message = f"a job is suspended and continued in turn: CONTINUE is `{text}`"
                help_text = "CONTINUE should be false where SUSPEND is true"
                yield setting.say(in_turn, message, setting.whole(), help_text)
                return


def _of_slot(view: View, setting: Setting, name: str) -> str | None:
    """What the slots of a macro have for another one; None where another file may say it."""
    for macro in dict.fromkeys((f"{setting.macro[:-7]}{name}", name)):
        entry = setting.config.lookup(macro)
        if entry is not None and (not entry.is_builtin or is_whole(view.config)):
            return setting.beside(macro).strip()
    return None


def _is(setting: Setting, macro: str, value: bool) -> bool:
    return read_boolean(setting.beside(macro), setting.config.scope.functions.evaluate) is value
