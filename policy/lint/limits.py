"""Checks limits and conditions that leave nothing: no memory, no jobs, no machine, no release.

Follows: condor_startd and condor_schedd of 25.14.1, started with such settings; condor_defrag,
which passes over whole machines; the codes of holds from the manual.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from classad.errors import Diagnostic
from classad.patterns import late_regex
from classad.syntax.nodes import Binary, Node, Reference, walk
from policy.language.numbers import integer_literal, read_integer
from policy.lint.agreement import DISAGREE
from policy.lint.choices import above, no_word, out_of_range
from policy.lint.comparisons import NEVER_TRUE
from policy.lint.expressions import MacroExpression
from policy.lint.finding import ERROR, Per, looks_at
from policy.lint.slot_types import is_assumed
from policy.lint.trees import conjuncts, ends, number, sides, text_of, tree_of
from policy.lint.view import Setting, View


@looks_at(Per.SETTING, of="RESERVED_MEMORY")
def no_memory(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """All of MEMORY kept for others: the startd ends."""
    evaluate, has = setting.config.scope.functions.evaluate, setting.beside("MEMORY")
    kept, memory = read_integer(setting.text(), evaluate), read_integer(has, evaluate)
    known = "memory" in view.defined and not is_assumed(setting.config, "MEMORY")
    if known and kept is not None and memory is not None and 0 < memory <= kept:
        message = f"{setting.macro} is {kept}, and MEMORY is {memory}: nothing is left"
        help_text = "condor_startd ends: `Can't compute physical memory`"
        said = setting.say(above, message, setting.whole(), help_text, ends="STARTD")
        said.severity = ERROR
        yield said


@looks_at(Per.SETTING, of="MAX_JOBS_(SUBMITTED|PER_OWNER|PER_SUBMISSION|RUNNING)")
def nobody_submits(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """A limit of 0 jobs or fewer, which is not `no limit`; who drains a schedd has it run none.

    Asked of condor_schedd of 25.14.1: -1 and -5 refuse every submission, or start no job.
    """
    most = read_integer(setting.text(), setting.config.scope.functions.evaluate)
    of_running = setting.upper.endswith("RUNNING")
    if most is not None and (most < 0 or (most == 0 and not of_running)):
        what = "starts no job" if of_running else "takes no job from anybody"
        message = f"{setting.macro} is {most}: the schedd {what}"
        help_text = f"{most} is no sign for `no limit`; without the line it is the built-in one"
        yield setting.say(out_of_range, message, setting.whole(), help_text)


@looks_at(Per.SETTING, of="NEGOTIATOR_CYCLE_DELAY")
def seldom(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """Cycles that never come as often as the interval says; test pools have 5 and 2 seconds."""
    least = integer_literal(setting.text()) or 0
    most = integer_literal(setting.beside("NEGOTIATOR_INTERVAL")) or least
    knob = setting.knob
    usual = integer_literal(str(knob.default)) if knob is not None else None
    if "negotiator_interval" in view.defined and least > max(usual or 0, most):
        message = f"{setting.macro} is {least}, above NEGOTIATOR_INTERVAL, which is {most}"
        yield setting.say(above, message, setting.whole())


@looks_at(Per.SETTING, of="DEFRAG_REQUIREMENTS")
def whole_already(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """Machines to drain that are whole as DEFRAG_WHOLE_MACHINE_EXPR says."""
    asked, whole = (_clauses(one) for one in (setting.text(), setting.beside(_WHOLE)))
    if asked and whole and all(any(_implies(one, part) for one in asked) for part in whole):
        message = (
            "what it asks for is what makes a machine whole, and such machines are not drained"
        )
        yield setting.say(DISAGREE, message, setting.whole(), f"see {_WHOLE}")


_WHOLE: Final = "DEFRAG_WHOLE_MACHINE_EXPR"


def _clauses(text: str) -> list[Node]:
    tree = tree_of(text)
    return [] if tree is None else list(conjuncts(tree))


def _implies(one: Node, other: Node) -> bool:
    """Are two conditions the same, or of one attribute above a higher and a lower number?"""
    if one == other:
        return True
    (name, least), (other_name, other_least) = _least(one), _least(other)
    return name == other_name != "" and least >= other_least


def _least(node: Node) -> tuple[str, float]:
    """The attribute that is at least a number; an empty name if it is another condition."""
    for side, symbol, other in sides(node) if isinstance(node, Binary) else ():
        least = number(other)
        if isinstance(side, Reference) and symbol in (">", ">=") and least is not None:
            return side.name.casefold(), least + (symbol == ">")
    return "", 0.0


@looks_at(Per.SETTING, of="COLLECTOR_REQUIREMENTS")
def of_one_type(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """``MyType == "Machine" && ...``: the collector asks it of ads of every type."""
    for part in _clauses(setting.text()):
        for side, symbol, other in sides(part) if isinstance(part, Binary) else ():
            is_type = isinstance(side, Reference) and side.name.casefold() == "mytype"
            if is_type and symbol in ("==", "=?=") and text_of(other):
                message = f"the collector refuses every ad that is not of `{text_of(other)}`"
                help_text = "schedds, masters and submitters come with others: `MyType =!= ... ||`"
                yield setting.say(DISAGREE, message, part, help_text)


_SUBCODE: Final = late_regex(r"SYSTEM_PERIODIC_HOLD(_\w+)?_SUBCODE")
_HELD: Final = late_regex(r"SYSTEM_PERIODIC_HOLD(_\w+)?(?<!_SUBCODE)(?<!_REASON)(?<!_NAMES)")
#: The HoldReasonCode of SYSTEM_PERIODIC_HOLD.
_BY_POLICY: Final = 26.0


@looks_at(Per.EXPRESSION, of=r"SYSTEM_PERIODIC_(RELEASE|REMOVE)(_\w+)?")
def never_held_so(one: MacroExpression) -> Iterator[Diagnostic]:
    """A HoldReasonSubCode that none of the schedd's own holds gives."""
    texts = {name: it.text().strip() for name, it in one.view.plain.items()}
    given = [text for name, text in texts.items() if _SUBCODE.fullmatch(name)]
    codes = {float(code) for text in given if (code := integer_literal(text)) is not None}
    if not any(map(_HELD.fullmatch, texts)) or len(codes) < len(set(given)):
        return
    for node in walk(one.tree):
        if not isinstance(node, Binary) or node.operator != "&&":
            continue
        asked = {name: at for part in conjuncts(node) for name, at in _equal(part)}
        by, sub = asked.get("holdreasoncode"), asked.get("holdreasonsubcode")
        if by is None or sub is None or by[0] != _BY_POLICY or sub[0] in {0.0, *codes}:
            continue
        message = f"no SYSTEM_PERIODIC_HOLD of these files has the sub code {sub[0]:g}"
        known = ", ".join(f"{value:g}" for value in sorted(codes)) or "0"
        yield one.say(NEVER_TRUE, message, sub[1], f"of SYSTEM_PERIODIC_HOLD_*_SUBCODE: {known}")
        return


def _equal(node: Node) -> Iterator[tuple[str, tuple[float, Node]]]:
    """The attribute that a condition compares with a number, and the number."""
    for side, symbol, other in sides(node) if isinstance(node, Binary) else ():
        value = number(other)
        if isinstance(side, Reference) and symbol in ("==", "=?=") and value is not None:
            yield side.name.casefold(), (value, node)


#: What condor_startd takes for a state of power.
_POWER: Final = frozenset(
    (
        *("none", "0", "1", "2", "3", "4", "5", "s1", "s2", "s3", "s4", "s5", "standby", "sleep"),
        *("ram", "mem", "suspend", "disk", "hibernate", "shutdown", "off"),
    )
)


@looks_at(Per.EXPRESSION, of="HIBERNATE")
def no_power_state(one: MacroExpression) -> Iterator[Diagnostic]:
    """A text that is no state in which a machine sleeps."""
    for node in ends(one.tree):
        text = text_of(node)
        if text is not None and text.casefold() not in _POWER:
            message = f"HIBERNATE comes to `{text}`, and no machine sleeps so"
            yield one.say(no_word, message, node, '"RAM", "DISK", "OFF" and "NONE" are states')
