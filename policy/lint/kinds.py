"""Checks that the parts of an expression are of the kind that they are needed as.

Operands of ``&&``, ``||`` and ``!``, and what a choice goes by, are conditions; arguments are what
their function can do something with.
Follows: the ClassAd language; what a function makes of an argument is asked of the function itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice, product
from typing import Final

from attr import evolve

from classad.errors import Diagnostic
from classad.evaluate import evaluate
from classad.evaluation.functions import InlineForm, ResultKind, lookup_function
from classad.language.operators import COMPARISONS, EQUALITY, IDENTITY, LOGIC
from classad.language.values import Value
from classad.patterns import late_regex
from classad.syntax.nodes import (
    Binary,
    Call,
    ListExpr,
    Literal,
    Node,
    Reference,
    Unary,
    bare,
    walk,
)
from policy.attributes import SECONDS, Availability, find_attribute
from policy.knobs.declaration import Wanted
from policy.language.about import change_about
from policy.language.expressions import parse
from policy.lint.comparisons import UNDEFINED_OPERAND, UNLIKE_UNITS
from policy.lint.expressions import MacroExpression
from policy.lint.finding import ERROR, WARNING, Advice, Meant, Per, finding, looks_at
from policy.lint.trees import (
    choice_of,
    ends,
    is_undefined,
    names,
    number,
    references,
    scope_of,
    sides,
)
from policy.values.domain import Abstract, single_value
from policy.values.evaluation import Evaluation, Key


@finding(
    "P117",
    "an expression whose value ends a daemon",
    "IS_OWNER, or IsOwner, has to come to true or false for a slot without a job. A job's"
    " attributes are undefined there, and the startd ends at a value that is no condition. So does"
    " the starter of a container at an undefined DOCKER_VOLUME_DIR_<name>_MOUNT_IF. A daemon ends"
    " itself where DAEMON_SHUTDOWN is true of an ad that it sends, so `True` ends it at the first.",
    bad='IS_OWNER = Owner == "mia"\n',
    good='IS_OWNER = Owner =?= "mia"\n',
    severity=ERROR,
    per=Per.EXPRESSION,
    of="IS_?OWNER",
    observed="Observed with 25.14.1: its startd ends at its start, with `Invalid evaluation of"
    " IsOwner was marked as fatal`, at an undefined value, an error and a text; it takes the same"
    " value of START, PREEMPT, SUSPEND, CONTINUE, KILL, WANT_VACATE and CpuBusy. Its starter logs"
    " `... is not a valid boolean` of the condition of a volume. With DAEMON_SHUTDOWN = True its"
    " schedd and negotiator end with status 99 at once, its master and startd after five seconds,"
    " and its collector never.",
)
def value_ends(one: MacroExpression) -> Iterator[Diagnostic]:
    without_job = evolve(one.surroundings, use=evolve(one.use, target=""), free=True)
    value = one.evaluated(without_job).value.condition()
    if not value.truths and not value.empty:
        comes = "undefined without a job" if value.undefined else "no condition"
        found = one.say(value_ends, f"{one.name} comes to {comes}", one.tree, "condor_startd ends")
        change_about(found, ends="STARTD")
        yield found


@looks_at(Per.EXPRESSION, of=r"DOCKER_VOLUME_DIR_\w+_MOUNT_IF")
def value_ends_starter(one: MacroExpression) -> Iterator[Diagnostic]:
    """A condition of a volume that is undefined for some jobs, or an error.

    Each job has an Owner and a JobUniverse, wherever the slot has them while it is claimed.
    """
    around = one.surroundings

    def look_up(scope: str, name: str) -> tuple[Key, Abstract]:
        of_job = around.look_up("target", name)
        return around.look_up(scope, name) if scope or of_job[1].undefined else of_job

    value = Evaluation(one.tree, look_up).value.condition()
    if value.undefined or value.error:
        message = f"{one.name} comes to no condition for jobs without what it asks for"
        help_text = "condor_starter ends at them; `=?= True` is false where an attribute is not"
        found = one.say(value_ends, message, one.tree, help_text)
        found.severity = WARNING if True in value.truths else ERROR
        yield found


#: Operators whose value is a number that nobody takes for a condition.
_ARITHMETIC: Final = frozenset(("+", "-", "*", "/"))
_FIRST: Final = "arithmetic comes first: put the comparison in parentheses"
#: Units of amounts and times: what is measured in them is no switch.
_MEASURES: Final = frozenset(("s", "min", "date", "B", "KiB", "MiB"))
#: Numbers that are never 0.
_COUNTS: Final = frozenset(
    ("requestcpus", "totalcpus", "totalslotcpus", "detectedcpus", "totalslots", "slotid")
)
_TEXTS: Final = frozenset((ResultKind.TEXT, ResultKind.LOWER, ResultKind.UPPER))
_NUMBER: Final = "a number, which counts as true unless it is 0"
_TEXT: Final = "a text, and a text is no condition"
_LIST: Final = "a list, and a list is no condition"


@finding(
    "P432",
    "a number or a text in place of a condition",
    "`&&`, `||`, `!`, `? :` and ifThenElse() take conditions. A number counts as true unless it is"
    " 0, whatever it was to be compared with; a text is an error, which only `true ||` and"
    " `false &&` in front of it hide.",
    "SYSTEM_PERIODIC_REMOVE = JobStatus == 5 && time() - EnteredCurrentStatus\n",
    "SYSTEM_PERIODIC_REMOVE = JobStatus == 5 && time() - EnteredCurrentStatus > 3600\n",
    per=Per.EXPRESSION,
    after=("P420", "P421", "P425", "P428"),
)
def no_condition(one: MacroExpression) -> Iterator[Diagnostic]:
    """At all depths, each part once; of what a choice may come to the first."""
    said: set[int] = set()
    for node, beside in _conditions(one):
        what = "" if id(node) in said else _no_condition(one, node)
        said.add(id(node))
        if what:
            message = f"`{one.shown(node)}` is {what}"
            yield one.say(no_condition, message, node, _instead(one, node, beside))


@looks_at(Per.BINARY)
def counted(one: MacroExpression, node: Binary) -> Iterator[Diagnostic]:
    """``RemoteOwner =?= UNDEFINED * 1000``, in which `*` comes first."""
    if node.operator in (*_ARITHMETIC, "%") and any(map(is_undefined, node.children())):
        message = f"`{one.shown(node)}` is never a number"
        beside = any(node is side for it in one.comparisons for side in it.children())
        yield one.say(UNDEFINED_OPERAND, message, node, _FIRST if beside else None)


def _conditions(one: MacroExpression) -> Iterator[tuple[Node, Node | None]]:
    """What stands for a condition, with what it is an alternative to."""
    if one.use.wanted is Wanted.CONDITION:
        given = (end for end in ends(one.tree) if end is not one.tree or names(end))
        yield from ((end, None) for end in [end for end in given if _no_condition(one, end)][:1])
    for node in one.nodes:
        if isinstance(node, Binary) and node.operator in LOGIC:
            either = node.operator == "||"
            yield _outcome(one, node.left), bare(node.right) if either else None
            yield _outcome(one, node.right), bare(node.left) if either else None
        elif isinstance(node, Unary) and node.operator == "!":
            yield _outcome(one, node.operand), None
        choice = choice_of(node)
        if choice is not None:
            yield _outcome(one, choice[0]), None


def _outcome(one: MacroExpression, node: Node) -> Node:
    """What a part comes to: of a choice the first branch that is no condition, if one is none."""
    return next((end for end in ends(node) if _no_condition(one, end)), bare(node))


def _no_condition(one: MacroExpression, node: Node) -> str:
    """What a part is that is no condition; empty for one that is, or may be meant as one."""
    if isinstance(node, Literal):
        # A macro may be a switch, and 0 and 1 are false and true.
        known = number(node)
        if isinstance(node.value, str):
            return _TEXT
        return _NUMBER if known not in (None, 0, 1) and not one.macros[node.start] else ""
    if isinstance(node, Binary):
        if node.operator not in _ARITHMETIC:
            return ""
        counts = any(isinstance(n, Binary) and n.operator in COMPARISONS for n in walk(node))
        return "" if counts else _NUMBER
    if isinstance(node, Call):
        function = lookup_function(node.name)
        result = ResultKind.ANY if function is None else function.result
        if result is ResultKind.INTEGER and node.name.casefold().endswith("cmp"):
            return "0 for equal texts, so true for all others"
        if result is ResultKind.LIST:
            return _LIST
        return _TEXT if result in _TEXTS else _NUMBER if result is ResultKind.CLOCK else ""
    if isinstance(node, ListExpr):
        return _LIST
    if not isinstance(node, Reference):
        return ""
    value = one.evaluation.alone(node)
    if value.has_text:
        return "" if value.has_number or value.other else _TEXT
    compared = {name for other in one.comparisons for name in names(other)}
    name = node.name.casefold()
    measured = value.is_measured and not value.truths and value.unit in _MEASURES
    return _NUMBER if (measured or name in _COUNTS) and name not in compared else ""


def _instead(one: MacroExpression, node: Node, beside: Node | None) -> Advice:
    """``HoldReasonCode == 13`` for the 13 behind ``HoldReasonCode == 12 ||``."""
    while isinstance(beside, Binary) and beside.operator in LOGIC:
        beside = bare(beside.right)
    compared = isinstance(beside, Binary) and beside.operator in EQUALITY | IDENTITY
    if isinstance(node, Literal) and isinstance(beside, Binary) and compared:
        left, right, was = bare(beside.left), bare(beside.right), one.text[node.start : node.end]
        alike = isinstance(right, Literal) and type(right.value) is type(node.value)
        if alike and isinstance(left, Reference):
            return Meant(f"{one.shown(left)} {beside.operator} {was}", was)
    return "compare it with something"


# --- arguments ------------------------------------------------------------------------------------

#: Values of each kind, as texts.
_ALL: Final = ('"a"', '"1"', "5", "true", "{1, 2}", '{"a"}', "[a = 1]")
_SEVERAL: Final = 256
#: The unit of what a job that names none of it does not get.
_GPUS: Final = "GPUs"


@finding(
    "P433",
    "an argument of a kind that its function cannot take",
    "Such a call is an error, whatever else it gets: stringListMember() looks in a text with commas"
    " and not in a list, quantize() steps through a list of numbers, size() counts no number.",
    'START = stringListIMember(TARGET.Owner, {"eve", "bob"})\n',
    'START = stringListIMember(TARGET.Owner, "eve,bob")\n',
    per=Per.CALL,
    after=("P406", "P421", "P425", "P426"),
)
def wrong_kind(one: MacroExpression, node: Call) -> Iterator[Diagnostic]:
    function = lookup_function(node.name)
    if function is None or not function.deterministic or not function.accepts(len(node.args)):
        return
    if function.form is InlineForm.CHOICE or function.fails or function.where:
        return
    samples = [_samples(one, bare(arg)) for arg in node.args]
    if not node.args or _does(node.name, samples):
        return
    for place, arg in enumerate(node.args):
        if _does(node.name, [*samples[:place], _ALL, *samples[place + 1 :]]):
            kind = _kind(samples[place])
            message = f"`{node.name}` cannot take {kind} here, and is always an error"
            yield one.say(wrong_kind, message, bare(arg))
            return


def _samples(one: MacroExpression, arg: Node) -> tuple[str, ...]:
    """Texts of values that an argument can have, one of each kind at least."""
    if isinstance(arg, Literal | ListExpr) and not names(arg):
        return (one.text[arg.start : arg.end],)
    value = one.evaluation.alone(arg)
    kinds = [value.has_text] * 2 + [value.is_measured, bool(value.truths)] + [value.other] * 3
    return tuple(text for text, there in zip(_ALL, kinds, strict=True) if there) or _ALL


def _kind(samples: Sequence[str]) -> str:
    """What all samples are, in words."""
    first = {sample[0] for sample in samples}
    if first == {'"'}:
        return "a text"
    return "a list" if first == {"{"} else "this value" if len(first) > 1 else "a number"


def _does(name: str, samples: Sequence[Sequence[str]]) -> bool:
    """Has some call with these arguments a value?"""
    calls = islice(product(*samples), _SEVERAL)
    return any(_has_value(f"{name}({', '.join(args)})") for args in calls)


@cache
def _has_value(text: str) -> bool:
    return evaluate(parse(text)) is not Value.Error


# --- choices by what is not there -----------------------------------------------------------------


@finding(
    "P434",
    "a choice by what many jobs do not have",
    "Where the condition of `? :` or ifThenElse() is undefined, so is the choice, and not what it"
    " says last. Attributes that only some jobs have need a test, or a value in their place; a job"
    " that wants no GPU has no RequestGPUs.",
    "START = ifThenElse(TARGET.RequestGPUs > 0, TARGET.RequestMemory < 4000, True)\n",
    "START = ifThenElse((TARGET.RequestGPUs ?: 0) > 0, TARGET.RequestMemory < 4000, True)\n",
    per=Per.NODE,
)
def undefined_choice(one: MacroExpression, node: Node) -> Iterator[Diagnostic]:
    choice = choice_of(node)
    if choice is None or one.use.wanted is Wanted.ANY:
        return
    condition, _, otherwise = choice
    last, value = one.evaluation.alone(otherwise), one.evaluation.alone(condition)
    single = single_value(last)
    says = single.__class__ in (bool, int, float) and bool(single)
    if one.use.wanted is Wanted.CONDITION and single is None:
        says = True in last.truths  # a comparison that such a job might pass
    if not says or not value.undefined or value.truths != {True, False}:
        return
    asked = one.asked_for
    for found in references(condition):
        if found.name.casefold() not in asked and _is_of_some_jobs(one, found):
            message = f"`{one.shown(bare(condition))}` is undefined for jobs without {found.name}"
            shown, name = one.shown(bare(otherwise)), one.shown(found)
            help_text = f"so is the choice, and not `{shown}`; `({name} ?: 0)` has a value"
            yield one.say(undefined_choice, message, bare(condition), help_text)
            return


#: Ends of names that say what something is counted in.
_COUNTED_IN: Final = late_regex(
    r"\w*(?:_(?i:hours?|mins?|minutes?|days?)|(?<=[a-z\d])(?:Hours?|Mins?|Minutes?|Days?))"
)
_WORD_OF_UNIT: Final = late_regex(r"(?i:hours?|min(?:ute)?s?|days?)")
_IN_ONE: Final = {"h": ("hours", "3600"), "m": ("minutes", "60"), "d": ("days", "86400")}


@looks_at(Per.BINARY)
def of_another_unit(one: MacroExpression, node: Binary) -> Iterator[Diagnostic]:
    """``time() - JobStart > MaxHours``, ``time() + TARGET.MaxWallTimeMins``: seconds are meant."""
    if node.operator not in COMPARISONS and node.operator not in "+-":
        return
    for side, _, other in ((node.left, "", node.right), (node.right, "", node.left)):
        side, other = bare(side), bare(other)
        name = _counted(one, other)
        timed = _is_clock(side) or (node.operator in COMPARISONS and _is_in_seconds(side))
        if timed and name:
            unit, seconds = _IN_ONE[_WORD_OF_UNIT.findall(name)[-1][0].lower()]
            message = f"`{one.shown(side)}` is in seconds, and {name} is in {unit}"
            shown = one.shown(other) if isinstance(other, Reference) else f"({one.shown(other)})"
            help_text = f"`{shown} * {seconds}` are seconds"
            yield one.say(UNLIKE_UNITS, message, node, help_text)
            return


def _counted(one: MacroExpression, node: Node) -> str:
    """The name that says what a number is counted in, of an attribute or of its macro."""
    if isinstance(node, Binary) and node.operator == "?:":
        node = bare(node.left)
    if isinstance(node, Reference):
        row = find_attribute(node.name)
        known = row is not None and row.unit  # of that other checks tell
        return node.name if _COUNTED_IN.fullmatch(node.name) and not known else ""
    made_by = one.macros[node.start][-1:] if isinstance(node, Literal) and one.macros else ()
    return next((name for name in made_by if _COUNTED_IN.fullmatch(name)), "")


def _is_clock(node: Node) -> bool:
    """Is it the present?"""
    called = lookup_function(node.name) if isinstance(node, Call) else None
    current = isinstance(node, Reference) and node.name.casefold() == "currenttime"
    return current or (called is not None and called.result is ResultKind.CLOCK)


def _is_in_seconds(node: Node) -> bool:
    """Is it a time that HTCondor counts, or the time since something?"""
    if isinstance(node, Binary) and node.operator == "-":
        return _is_clock(bare(node.left)) or _is_clock(bare(node.right))
    row = find_attribute(node.name) if isinstance(node, Reference) else None
    return row is not None and row.unit == SECONDS


#: Comparisons of a number of things that are meant for jobs that want none.
_NONE: Final = {"==": 0, "=?=": 0, "<=": 0, "<": 1}


@looks_at(Per.COMPARISON)
def none_of_it(one: MacroExpression, node: Binary) -> Iterator[Diagnostic]:
    """``RequestGPUs == 0``: who wants none does not say so."""
    for side, operator, other in sides(node):
        row = find_attribute(side.name) if isinstance(side, Reference) else None
        if row is None or row.unit != _GPUS or number(other) != _NONE.get(operator):
            continue
        assert isinstance(side, Reference)
        of_job = _is_of_some_jobs(one, side) or (scope_of(side) is None and "slot" not in row.ads)
        if side.name.casefold() not in one.asked_for and of_job:
            comes = "false" if operator in IDENTITY else "undefined"
            message = f"`{one.shown(node)}` is {comes} for jobs without {row.name}"
            help_text = f"`({one.shown(side)} ?: 0)` is 0 for them"
            yield one.say(undefined_choice, message, node, help_text)


@looks_at(Per.EXPRESSION, of="RANK")
def undefined_rank(one: MacroExpression) -> Iterator[Diagnostic]:
    """``10 * (TARGET.RequestGPUs > 0) + ...``: with one undefined addend the whole sum is."""
    tree = bare(one.tree)
    if one.part is not None or not isinstance(tree, Binary) or tree.operator not in ("+", "-"):
        return
    asked = one.asked_for
    for node in one.comparisons:
        if node.operator in IDENTITY:
            continue
        for side in map(bare, node.children()):
            name = side.name.casefold() if isinstance(side, Reference) else ""
            known = isinstance(side, Reference) and find_attribute(name) is not None
            if not known or name in asked or not isinstance(side, Reference):
                continue  # a site gives its own attributes to all jobs, perhaps
            if _is_of_some_jobs(one, side):
                message = f"RANK is undefined, and counts as 0, for jobs without {side.name}"
                shown = one.shown(side)
                yield one.say(undefined_choice, message, node, f"`({shown} ?: 0)` has a value")
                return


def _is_of_some_jobs(one: MacroExpression, node: Reference) -> bool:
    """Is it an attribute that a job may lack?"""
    row = find_attribute(node.name)
    of_job = scope_of(node) == "target" if one.use.my != "job" else scope_of(node) != "target"
    of_job = of_job or (one.use.my == "schedd" and scope_of(node) is None)  # it has few others
    if row is not None:
        return of_job and row.ads.get("job") is Availability.SOMETIMES
    return of_job and not one.view.job_attributes.intersection((node.name.casefold(),))
