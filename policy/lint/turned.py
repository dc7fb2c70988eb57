"""Checks conditions that say the opposite of what they are for, and what operators get.

Follows: what the startd, the schedd and condor_defrag of 25.14.1 do by these expressions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from classad.errors import Diagnostic
from classad.evaluation.functions import lookup_function
from classad.patterns import late_regex
from classad.syntax.nodes import Binary, Call, Literal, Node, Reference, Unary, bare
from policy.attributes import SECONDS
from policy.lint.attributes import not_there
from policy.lint.comparisons import NEVER_TRUE, UNDEFINED_OPERAND
from policy.lint.expressions import MacroExpression
from policy.lint.finding import Meant, Per, finding, looks_at
from policy.lint.slips import PRECEDENCE, exchanged
from policy.lint.texts import text_sum
from policy.lint.trees import (
    conjuncts,
    disjuncts,
    ends,
    is_undefined,
    names,
    number,
    scope_of,
    sides,
    text_of,
    tree_of,
)
from policy.universes import UNIVERSES

#: Attributes that are small while somebody is at the machine, and those that are great then.
_IDLE: Final = frozenset(("keyboardidle", "consoleidle"))
_BUSY: Final = frozenset(("loadavg", "condorloadavg"))
_BELOW: Final = ("<", "<=")
_ABOVE: Final = (">", ">=")
_SAME: Final = ("==", "=?=")
_GIVING_WAY: Final = ("SUSPEND", "PREEMPT", "KILL")
_OPPOSITE: Final = "did you mean the opposite?"
_RUNNING: Final = late_regex(r"total(local|scheduler)jobsrunning")
_VANILLA: Final = 5
_OF_SLOTS: Final = "START|CONTINUE|SUSPEND|PREEMPT|KILL|WANT_HOLD|START_(LOCAL|SCHEDULER)_UNIVERSE"


@finding(
    "P437",
    "a condition that says the opposite of what it is for",
    "KeyboardIdle is small while somebody works at the machine, and a load is great: START and"
    " CONTINUE ask for the opposite of what SUSPEND and PREEMPT do. A partitionable slot runs no"
    " job, and START is asked of it before there is a dynamic one. START_LOCAL_UNIVERSE and"
    " START_SCHEDULER_UNIVERSE are asked before any job runs, and a requirement of submission that"
    " asks for another universe refuses what nearly everybody submits.",
    "START = KeyboardIdle < 15 * 60\n",
    "START = KeyboardIdle > 15 * 60\n",
    per=Per.EXPRESSION,
    of=rf"{_OF_SLOTS}|SUBMIT_REQUIREMENT_\w+|DEFRAG_REQUIREMENTS|SYSTEM_PERIODIC_RELEASE\w*",
    after=("P417", "P601", "P605", "P607"),
)
def turned_round(one: MacroExpression) -> Iterator[Diagnostic]:
    macro = one.setting.upper
    if one.part is not None or macro.endswith("_REASON"):
        return
    parts = disjuncts(one.tree) if macro in _GIVING_WAY else conjuncts(one.tree)
    for part in parts:
        said = _turned(macro, part) if isinstance(part, Binary) else None
        said = said or (_of_partitionable(macro, conjuncts(part)))
        if said is not None:
            message, help_text = said
            yield one.say(turned_round, f"`{one.shown(part)}`: {message}", part, help_text)
            return
    for node in one.comparisons if macro.startswith("SYSTEM_PERIODIC_RELEASE") else ():
        codes = [other for side, _, other in sides(node) if names(side) == {"holdreasoncode"}]
        if node.operator in _SAME and any(number(code) == 1 for code in codes):
            message = "1 is the code of jobs that users hold, who release them themselves"
            yield one.say(turned_round, f"`{one.shown(node)}`: {message}", node)
    if macro == "START" and "partitionable" not in one.text.casefold():
        yield from _before_dynamic(one)


def _turned(macro: str, node: Binary) -> tuple[str, str | None] | None:
    """A comparison in the wrong direction."""
    for side, symbol, other in sides(node):
        mine, value = names(side), number(other)
        if macro.startswith("DEFRAG"):
            whole = mine == {"cpus"} and names(other) == {"totalcpus"} and symbol in _SAME
            return ("only machines that are whole already are drained", None) if whole else None
        if not mine or (value is None and (names(other) or not isinstance(other, Binary))):
            continue
        works = (mine <= _IDLE and symbol in _BELOW) or (mine <= _BUSY and symbol in _ABOVE)
        rests = (mine <= _IDLE and symbol in _ABOVE) or (mine <= _BUSY and symbol in _BELOW)
        if macro in ("START", "CONTINUE") and works:
            return "jobs run only while the machine is in use", _OPPOSITE
        if macro in _GIVING_WAY and rests:
            return "jobs give way when nobody uses the machine", _OPPOSITE
        is_count = isinstance(side, Reference) and _RUNNING.fullmatch(side.name.casefold())
        if is_count and symbol in _ABOVE and (value or 0) >= (symbol == ">="):
            return "no job starts as long as none runs", "did you mean `<`?"
        universe = value if mine == {"jobuniverse"} and symbol in _SAME else None
        if macro.startswith("SUBMIT_") and universe not in (None, _VANILLA):
            named = next((name for name, at in UNIVERSES.items() if at == universe), "")
            advice = f"{universe:g} is {named}" if named else None
            return "jobs of all other universes are refused, vanilla ones, too", advice
    return None


def _of_partitionable(macro: str, parts: Iterable[Node]) -> tuple[str, None] | None:
    """Is a job ended, suspended or held on slots only that run none?"""
    for part in parts if macro in (*_GIVING_WAY, "WANT_HOLD") else ():
        if _asks_for(part, "partitionableslot", "Partitionable"):
            return "a partitionable slot runs no job, so this is never true of one", None
    return None


def _asks_for(node: Node, name: str, type_: str) -> bool:
    """Does a condition ask for slots of one type, by their attribute or by SlotType?"""
    node = bare(node)
    if isinstance(node, Reference):
        return node.name.casefold() == name
    if not isinstance(node, Binary) or node.operator not in _SAME:
        return False
    for side, _, other in sides(node):
        if names(side) == {name} and isinstance(other, Literal) and other.value is True:
            return True
        if names(side) == {"slottype"} and (text_of(other) or "").casefold() == type_.casefold():
            return True
    return False


def _before_dynamic(one: MacroExpression) -> Iterator[Diagnostic]:
    """``START = DynamicSlot =?= True && ...``, which no other alternative helps."""
    for part in conjuncts(one.tree):
        others = [list(conjuncts(either)) for either in disjuncts(part)]
        dynamic = [any(_asks_for(x, "dynamicslot", "Dynamic") for x in parts) for parts in others]
        static = [any(_asks_for(x, "", "Static") for x in parts) for parts in others]
        if any(dynamic) and all(a or b for a, b in zip(dynamic, static, strict=True)):
            message = f"`{one.shown(part)}` is asked of the partitionable slot first"
            help_text = "it takes no job then, and no dynamic slot is made"
            yield one.say(turned_round, message, part, help_text)
            return


@looks_at(Per.EXPRESSION, of="PREEMPTION_RANK")
def preempts_the_best(one: MacroExpression) -> Iterator[Diagnostic]:
    """``PREEMPTION_RANK = -RemoteUserPrio``: the greatest rank is preempted first."""
    worst = {"remoteuserprio"}
    for sign, term in _terms(one.tree):
        below = isinstance(term, Binary) and term.operator == "/" and names(term.right) == worst
        if (sign < 0 and names(term) == worst) or (below and sign > 0):
            message = (
                f"`{one.shown(term)}`: jobs of users with the best priority are preempted first"
            )
            yield one.say(turned_round, message, term, "a greater RemoteUserPrio is a worse one")


def _terms(node: Node, sign: int = 1) -> Iterator[tuple[int, Node]]:
    """What a sum adds (1) or takes away (-1)."""
    node = bare(node)
    if isinstance(node, Binary) and node.operator in ("+", "-"):
        yield from _terms(node.left, sign)
        yield from _terms(node.right, sign if node.operator == "+" else -sign)
    elif isinstance(node, Unary) and node.operator in ("+", "-"):
        yield from _terms(node.operand, sign if node.operator == "+" else -sign)
    elif isinstance(node, Binary) and node.operator == "*":
        factors = (number(node.left), number(node.right))
        below = any(factor is not None and factor < 0 for factor in factors)
        yield (-sign if below else sign), node
    else:
        yield sign, node


@looks_at(Per.EXPRESSION, of="DEFRAG_CANCEL_REQUIREMENTS")
def cancels_all(one: MacroExpression) -> Iterator[Diagnostic]:
    """``DEFRAG_CANCEL_REQUIREMENTS = !($(DEFRAG_WHOLE_MACHINE_EXPR))``."""
    text = "".join(one.text.split()).casefold()
    whole = "".join(one.setting.beside("DEFRAG_WHOLE_MACHINE_EXPR").split()).casefold()
    if whole and text.strip("()") == f"!({whole})".strip("()") != whole.strip("()"):
        message = "draining is cancelled on machines that are not whole yet, and goes on on others"
        yield one.say(turned_round, message, one.tree, "leave out the `!`")


# --- operators and arguments ----------------------------------------------------------------------

_ARITHMETIC: Final = ("+", "-", "*", "/", "%")


_AMOUNTS: Final = frozenset((SECONDS, "MiB", "KiB"))


@looks_at(Per.BINARY)
def default_of(one: MacroExpression, node: Binary) -> Iterator[Diagnostic]:
    """``RequestMemory ?: 2 * 1024``, which is ``(RequestMemory ?: 2) * 1024``; and
    ``x ?: undefined``."""
    if node.operator == "?:" and is_undefined(node.right):
        message = f"`{one.shown(node)}` is `{one.shown(node.left)}`: nothing takes its place"
        yield one.say(UNDEFINED_OPERAND, message, node, "say what it is where it is undefined")
    left, factor = node.left, node.right
    if node.operator != "*" or not isinstance(left, Binary) or left.operator != "?:":
        return
    if number(left.right) and number(factor) and one.evaluation.alone(left.left).unit in _AMOUNTS:
        default = one.text[left.right.start : factor.end]
        message = f"`?:` binds before `*`, so `{one.shown(left.left)}` is multiplied, too"
        yield one.say(PRECEDENCE, message, node, f"write `{one.shown(left.left)} ?: ({default})`")


@looks_at(Per.BINARY)
def with_chosen_text(one: MacroExpression, node: Binary) -> Iterator[Diagnostic]:
    """``10 * ifThenElse(x, "1", "0")``."""
    if node.operator not in _ARITHMETIC or text_sum.id in one.said:
        return
    for part in node.children():
        chosen = [end for end in ends(part) if end is not bare(part)]
        text = next((end for end in chosen if text_of(end) is not None), None)
        if text is not None:
            message = f"`{one.shown(text)}` is a text, and `{node.operator}` of a text is an error"
            yield one.say(text_sum, message, text, "take the quotes away")
            return


@looks_at(Per.CALL)
def list_first(one: MacroExpression, node: Call) -> Iterator[Diagnostic]:
    """``stringListMember("a,b", Owner ?: "x")``."""
    name, args = node.name.casefold(), [bare(arg) for arg in node.args]
    if not name.startswith("stringlist") or not name.endswith("member") or len(args) < 2:
        return
    function = lookup_function(node.name)
    if function is None or exchanged.id in one.said:
        return
    first = text_of(args[0])
    if first is not None and "," in first and names(args[1]):
        message = f"`{node.name}` takes the item before the list"
        yield one.say(exchanged, message, node)


# --- what the sides of an operator are ------------------------------------------------------------


@looks_at(Per.BINARY)
def load_of_others(one: MacroExpression, node: Binary) -> Iterator[Diagnostic]:
    """``CondorLoadAvg - LoadAvg``, which is never above 0."""
    left, right = bare(node.left), bare(node.right)
    if node.operator != "-" or not (isinstance(left, Reference) and isinstance(right, Reference)):
        return
    if (left.name.casefold(), right.name.casefold()) == ("condorloadavg", "loadavg"):
        message = f"`{one.shown(node)}` is never positive: jobs make a part of the load"
        help_text = f"the load of others is `{one.shown(right)} - {one.shown(left)}`"
        yield one.say(turned_round, message, node, help_text)


@looks_at(Per.COMPARISON)
def text_beside_number(one: MacroExpression, node: Binary) -> Iterator[Diagnostic]:
    """``(Temperature ?: 0) > "85"``."""
    for side, _, other in sides(node):
        if isinstance(side, Binary) and side.operator == "?:" and text_of(other) is not None:
            default = number(side.right)
            if default is not None:
                message = f"`{one.shown(node)}` compares a number with a string, which is an error"
                yield one.say(NEVER_TRUE, message, node, "take the quotes away")


#: What other systems call processors, and what Arch calls them.
_PROCESSORS: Final = {
    **dict.fromkeys(("amd64", "x64", "x86-64", "x86_64_v3", "intel64"), "X86_64"),
    **dict.fromkeys(("i386", "i686", "x86"), "INTEL"),
    "armv8": "aarch64",
}


@looks_at(Per.COMPARISON)
def processor(one: MacroExpression, node: Binary) -> Iterator[Diagnostic]:
    """``Arch == "amd64"``."""
    for side, symbol, other in sides(node):
        text = text_of(other) if symbol in _SAME else None
        arch = isinstance(side, Reference) and side.name.casefold() == "arch"
        right = _PROCESSORS.get((text or "").casefold()) if arch else None
        if right is not None:
            message = f"`{one.shown(side)}` is never {one.shown(other)}"
            yield one.say(NEVER_TRUE, message, node, Meant(f'"{right}"', one.shown(other)))


@looks_at(Per.EXPRESSION, of="DEFRAG_WHOLE_MACHINE_EXPR")
def never_whole(one: MacroExpression) -> Iterator[Diagnostic]:
    """Machines that are drained, and are too small to be whole ever."""
    asked = tree_of(one.setting.beside("DEFRAG_REQUIREMENTS"))
    whole = _least(conjuncts(one.tree), "cpus")
    drained = None if asked is None else _least(conjuncts(asked), "totalcpus")
    if whole is not None and drained is not None and drained < whole:
        message = f"machines with {drained:g} CPUs are drained, and none of them has {whole:g}"
        help_text = "TotalCpus in DEFRAG_REQUIREMENTS is to be as great"
        yield one.say(turned_round, message, one.tree, help_text)


def _least(parts: Iterable[Node], name: str) -> float | None:
    """The number of which an attribute has to be at least."""
    for part in parts:
        for side, symbol, other in sides(part) if isinstance(part, Binary) else ():
            if isinstance(side, Reference) and side.name.casefold() == name and symbol == ">=":
                return number(other)
    return None


#: What only slots have, however jobs are made.
_OF_SLOTS_ALONE: Final = frozenset(
    (
        "partitionableslot",
        "dynamicslot",
        "slottype",
        "slottypeid",
        "totalslotcpus",
        "totalslots",
        "totalcpus",
    )
)


@looks_at(Per.REFERENCE, after=("P407",))
def of_the_slot(one: MacroExpression, node: Reference) -> Iterator[Diagnostic]:
    """``SET Requirements MY.PartitionableSlot``."""
    name = one.setting.macro if one.part is None else one.part.name.partition(" ")[2]
    of_job = one.use.my == "job" and name.casefold() in ("requirements", "rank")
    asked = one.part is not None and one.part.name == "REQUIREMENTS"  # of jobs, without a slot
    mine = (of_job and scope_of(node) == "my") or (asked and scope_of(node) is None)
    if asked and node.name.casefold() in _OF_SLOTS_ALONE and scope_of(node) is None:
        message = f"`{node.name}` is undefined here: it is in the slot ad"
        yield one.say(not_there, message, node, "there is no slot where jobs are chosen")
    elif mine and node.name.casefold() in _OF_SLOTS_ALONE:
        message = f"`{one.shown(node)}` is undefined: {node.name} is in the slot ad"
        yield one.say(not_there, message, node, Meant(f"TARGET.{node.name}", one.shown(node)))
