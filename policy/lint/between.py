"""Checks what goes wrong between two cycles: claims, leftovers, backfill slots, retirement.

Follows: recorded pools of real daemons of 25.14.1 (vectors ``between``); each rule has a scenario.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import product
from math import isfinite
from typing import Final

from classad.ads.ad import Ad
from classad.errors import Diagnostic
from classad.evaluate import EvalContext, evaluate
from classad.patterns import late_regex
from classad.syntax.nodes import Node, walk
from policy.attributes import find_attribute
from policy.ephemeral import find_ephemeral
from policy.language.expressions import parse
from policy.language.numbers import integer_literal, read_boolean, read_integer
from policy.lint.expressions import MacroExpression
from policy.lint.finding import EVERY_OTHER, NOTE, Per, finding, looks_at
from policy.lint.trees import conjuncts, names, number, references, scope_of, text_of
from policy.lint.view import Setting, View
from policy.values.domain import single_number

#: What a job has to leave at most after a soft kill, if nobody says otherwise.
_VACATE_TIME: Final = 600
#: So few jobs that one more is much.
_FEW: Final = 10
_MADE: Final = late_regex(r"NUM_SLOTS_TYPE_(\d+)", re.IGNORECASE)
_CONFLICT: Final = late_regex(r"\bResourceConflict\b", re.IGNORECASE)


@finding(
    "P510",
    "a retirement that early preemption takes away",
    "With NEGOTIATOR_CONSIDER_EARLY_PREEMPTION the match is made while the job retires, and the"
    " startd evicts it as soon as what is left is no more than MACHINEMAXVACATETIME, ten minutes by"
    " default. A MAXJOBRETIREMENTTIME up to that protects no job.",
    "NEGOTIATOR_CONSIDER_EARLY_PREEMPTION = True\nMAXJOBRETIREMENTTIME = 300\n",
    "NEGOTIATOR_CONSIDER_EARLY_PREEMPTION = True\nMAXJOBRETIREMENTTIME = 300\n"
    "MACHINEMAXVACATETIME = 30\n",
    of="MAXJOBRETIREMENTTIME",
    observed="Observed with 25.14.1: a job with 25 s of retirement is evicted after 6 s of run, and"
    " after 22 s where MACHINEMAXVACATETIME is 3.",
)
def unprotected(view: View, setting: Setting) -> Iterator[Diagnostic]:
    evaluate = setting.config.scope.functions.evaluate
    given = setting.beside("MACHINEMAXVACATETIME")
    retires = read_integer(setting.text(), evaluate)
    vacates = read_integer(given, evaluate) if given else _VACATE_TIME
    if not view.is_on("NEGOTIATOR_CONSIDER_EARLY_PREEMPTION", "NEGOTIATOR", False):
        return
    if retires is not None and vacates is not None and 0 < retires <= vacates:
        message = f"{retires} s of retirement protect no job: MACHINEMAXVACATETIME is {vacates} s"
        help_text = "early preemption evicts a job as soon as no more than that is left"
        yield setting.say(unprotected, message, setting.whole(), help_text)


@finding(
    "P511",
    "backfill slots without a policy that evicts",
    "Jobs of the primary slots take cores and memory that backfill jobs have, and nobody evicts"
    " these: both run, and the machine has more work than cores. ResourceConflict tells a policy.",
    "SLOT_TYPE_1 = 100%\nNUM_SLOTS_TYPE_1 = 1\nSLOT_TYPE_2 = 100%\nNUM_SLOTS_TYPE_2 = 1\n"
    "SLOT_TYPE_2_BACKFILL = True\nSLOT_TYPE_2_PARTITIONABLE = True\n"
    "SLOT_TYPE_1_PARTITIONABLE = True\n",
    "SLOT_TYPE_1 = 100%\nNUM_SLOTS_TYPE_1 = 1\nSLOT_TYPE_2 = 100%\nNUM_SLOTS_TYPE_2 = 1\n"
    "SLOT_TYPE_2_BACKFILL = True\nSLOT_TYPE_2_PARTITIONABLE = True\n"
    "SLOT_TYPE_1_PARTITIONABLE = True\nSLOT_TYPE_2_PREEMPT = ResourceConflict =!= undefined\n",
    of=r"SLOT_TYPE_\d+_BACKFILL",
    observed="Observed with 25.14.1: 5 primary and 8 backfill jobs of one core on 8 cores.",
    elsewhere=True,
)
def overcommitted(view: View, setting: Setting) -> Iterator[Diagnostic]:
    entries = (link for one in view.config.scope.table for link in one.chain())
    told = any(_CONFLICT.search(entry.raw) for entry in entries)
    if read_boolean(setting.text(), setting.config.scope.functions.evaluate) and not told:
        message = "no policy evicts jobs of these slots where primary slots need what they have"
        number = setting.macro.split("_")[2]
        help_text = f"`SLOT_TYPE_{number}_PREEMPT = ResourceConflict =!= undefined` does"
        yield setting.say(overcommitted, message, setting.whole(), help_text)


@looks_at(Per.SETTING, of=r"SLOT_TYPE_\d+_MAXJOBRETIREMENTTIME")
def retiring(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """Backfill jobs that a policy evicts, and that may go on for a long time all the same."""
    head = setting.upper.removesuffix("MAXJOBRETIREMENTTIME")
    backfill = read_boolean(
        setting.beside(f"{head}BACKFILL"), setting.config.scope.functions.evaluate
    )
    seconds = integer_literal(setting.text())
    evicts = _CONFLICT.search(setting.beside(f"{head}PREEMPT"))
    if backfill and evicts and seconds is not None and seconds >= _LONG:
        message = (
            f"jobs of these slots go on for {seconds} s when primary slots need what they have"
        )
        yield setting.say(overcommitted, message, setting.whole(), "0 ends them at once")


#: A time in which an overcommitted machine makes a difference.
_LONG: Final = 3600


@finding(
    "P512",
    "START_VANILLA_UNIVERSE with leftovers of partitionable slots",
    "The schedd asks it when a claim is to start its job, and not when it takes a job for what a"
    " match leaves of a slot: a job that it refuses gets the claim, loses it, and gets it again, a"
    " hundred times a second, as long as it waits. START of the machines is asked at once.",
    "START_VANILLA_UNIVERSE = SLOT.Cpus >= 4\n",
    "START_VANILLA_UNIVERSE = SLOT.Cpus >= 4\nCLAIM_PARTITIONABLE_LEFTOVERS = False\n",
    of="START_VANILLA_UNIVERSE",
    observed="Observed with 25.14.1: its schedd claims and releases one slot about a hundred times"
    " a second.",
)
def claimed_again(view: View, setting: Setting) -> Iterator[Diagnostic]:
    text = setting.text()
    if setting.unparsable() is not None or not text.strip() or not names(parse(text).node):
        return
    if view.is_on("CLAIM_PARTITIONABLE_LEFTOVERS", "SCHEDD", True):
        message = "jobs that it refuses are given leftovers of slots, and lose them, without end"
        help_text = "say it in START, or set CLAIM_PARTITIONABLE_LEFTOVERS = False for the schedd"
        yield setting.say(claimed_again, message, setting.whole(), help_text)


#: A priority that is compared with a number, and what priorities usually are at least.
_RATED: Final = ("RemoteUserPrio > $least", "RemoteUserPrio >= $least")
_USUAL: Final = 100


@finding(
    "P513",
    "preemption that compares nobody",
    "Nothing but PREEMPTION_REQUIREMENTS keeps the negotiator from preempting: it does not compare"
    " priorities besides. Two users who both wait take the slot from each other, again and again,"
    " also the one with the worse priority. Comparing a priority with a number compares it with no"
    " other user's.",
    "PREEMPTION_REQUIREMENTS = time() - EnteredCurrentState > 3600\n",
    "PREEMPTION_REQUIREMENTS = time() - EnteredCurrentState > 3600 &&"
    " RemoteUserPrio > SubmitterUserPrio * 1.2\n",
    per=Per.EXPRESSION,
    of="PREEMPTION_REQUIREMENTS",
    after=(EVERY_OTHER, "P501", "P502", "P503"),
    observed="Observed with 25.14.1: a user with the priority 500,000 takes a slot back from one"
    " with 500; with `RemoteUserPrio > 1000` one with 500,000 preempts one with 2,000.",
)
def in_turn(one: MacroExpression) -> Iterator[Diagnostic]:
    """Of the slot's own clock and resources alone, and of the priority of who is on it."""
    found = one.references
    if not found or True not in one.evaluation.value.truths:
        return
    rated = [
        id(node)
        for compared, holes in one.find(*_RATED)
        if (least := number(holes["least"])) is not None and least >= _USUAL
        for node in references(compared)
    ]
    for node in (node for node in found if id(node) not in rated):
        row = find_attribute(node.name)
        if find_ephemeral(node.name) is not None or scope_of(node) == "target":
            return
        of_slot = row is not None and "slot" in row.ads and "job" not in row.ads
        if not (of_slot or node.name.casefold() == "currenttime") or "remote" in node.name.lower():
            return
    message = "whoever waits preempts whoever runs, and is preempted in turn"
    if rated:
        message = (
            "it compares the priority with no other user's: one with a worse one preempts, too"
        )
    help_text = "add `RemoteUserPrio > SubmitterUserPrio * 1.2`"
    yield one.say(in_turn, message, one.tree, help_text)


@finding(
    "P514",
    "a limit of running jobs that leftovers pass",
    "The schedd looks at MAX_JOBS_RUNNING before the job that it starts counts. With leftovers of a"
    " partitionable slot one more starts than the limit says, and is evicted some seconds later.",
    "MAX_JOBS_RUNNING = 3\n",
    "MAX_JOBS_RUNNING = 3\nCLAIM_PARTITIONABLE_LEFTOVERS = False\n",
    of="MAX_JOBS_RUNNING",
    severity=NOTE,
    observed="Observed with 25.14.1: with 3 four jobs start, and five seconds later the first is"
    " vacated. Nothing is said of limits above ten.",
)
def one_too_many(view: View, setting: Setting) -> Iterator[Diagnostic]:
    most = integer_literal(setting.text())
    leftovers = view.is_on("CLAIM_PARTITIONABLE_LEFTOVERS", "SCHEDD", True)
    if setting.prefix not in (None, "SCHEDD"):
        return
    cores = integer_literal(setting.beside("NUM_CPUS")) if "num_cpus" in view.defined else None
    if cores is not None and most is not None and most >= cores:
        return  # the machine of the file has no core for one more
    if most is not None and 0 < most <= _FEW and leftovers:
        message = f"{most + 1} jobs start where leftovers of a slot are used, and one is evicted"
        yield setting.say(one_too_many, message, setting.whole())


#: What a dynamic slot has of what a job asked for, with the least that one has.
_CUT: Final = {"cpus": 1, "memory": 128, "disk": 1024, "gpus": 0}
#: Attributes that tell the slot that is cut from the one that it is cut from.
_TOLD_APART: Final = frozenset(("dynamicslot", "partitionableslot", "slottype", "slotid"))
_MORE: Final = tuple(f"{name} {sign} $many" for name in _CUT for sign in (">", ">="))
_SPARE: Final = (
    *("RequestCpus < Cpus", "RequestCpus <= Cpus / $part", "RequestCpus < Cpus / $part"),
    *("RequestCpus * $part <= Cpus", "RequestCpus * $part < Cpus"),
)


@finding(
    "P515",
    "START that asks for more than the slot of a job has",
    "The startd asks START again of the dynamic slot that it cuts for the job, which has what the"
    " job asked for and no more. Where START wants more, the job is matched, the startd refuses the"
    " slot, and so on in every cycle. TotalSlotCpus is the same in both, RequestCpus is the job's.",
    "NUM_SLOTS_TYPE_1 = 1\nSLOT_TYPE_1 = 100%\nSLOT_TYPE_1_PARTITIONABLE = True\n"
    "START = MY.Cpus >= 4\n",
    "NUM_SLOTS_TYPE_1 = 1\nSLOT_TYPE_1 = 100%\nSLOT_TYPE_1_PARTITIONABLE = True\n"
    "START = TARGET.RequestCpus >= 4\n",
    per=Per.EXPRESSION,
    of=r"(SLOT_TYPE_\d+_)?START",
    observed="Observed with 25.14.1: `slot1_1: Slot Requirements not satisfied`, `Request to create"
    " dslot resource refused`, and the job stays idle.",
)
def refused_again(one: MacroExpression) -> Iterator[Diagnostic]:
    """Parts that have to hold, of machines all of whose slots are partitionable."""
    if one.part is not None or not _TOLD_APART.isdisjoint(one.names):
        return
    needed = {id(node) for node in conjuncts(one.tree)}
    for node, holes in (*one.find(*_MORE), *one.find(*_SPARE)):
        own = next(ref for ref in references(node) if ref.name.casefold() in _CUT)
        least, many = _CUT[own.name.casefold()], holes.get("many")
        known = None if many is None else single_number(one.evaluation.alone(many))
        too_few = many is None or (known is not None and known > least)
        if id(node) in needed and scope_of(own) != "target" and too_few and _is_cut(one):
            message = f"the slot that is cut for a job has only the {own.name} that it asked for"
            who = "every job is" if many is None else "jobs that ask for less are"
            help_text = f"{who} matched and refused, in every cycle; compare Request{own.name}"
            yield one.say(refused_again, message, node, help_text)
            return


#: Seconds since 1970 at which jobs are looked at, and since when they are what they are.
_NOW: Final = 1_750_000_000
_LONG_AGO: Final = _NOW - 30 * 86_400
_IDLE, _ON_HOLD = 1, 5
#: What a job of the vanilla universe has that the policy puts on hold again and again.
_FIXED: Final = {
    "numholds": 1000, "numsystemholds": 0, "holdreasoncode": 26, "lastholdreasoncode": 26,
    "holdreasonsubcode": 0, "jobuniverse": 5, "qdate": _LONG_AGO,
}  # fmt: skip
_CHANGING: Final = ("jobstatus", "enteredcurrentstatus", "currenttime")
#: What counts the runs of a job, all alike.
_RUNS: Final = ("numjobstarts", "numshadowstarts", "jobruncount", "numjobmatches")
#: As many attributes, and as many jobs, are tried at most.
_ATTRIBUTES: Final = 3
_JOBS: Final = 600
_HOLDING: Final = late_regex(r"SYSTEM_PERIODIC_HOLD(?:_\w+)?", re.IGNORECASE)
_RELEASING: Final = late_regex(r"SYSTEM_PERIODIC_RELEASE(?:_\w+)?", re.IGNORECASE)


@finding(
    "P517",
    "jobs that are released and held again without end",
    "SYSTEM_PERIODIC_RELEASE is true for jobs that SYSTEM_PERIODIC_HOLD has put on hold, and they"
    " are put on hold again as soon as they are idle: what made them exceed a limit stays in their"
    " ads. HoldReasonCode is 26 for jobs that the policy has put on hold.",
    "SYSTEM_PERIODIC_HOLD = NumJobStarts > 10\n"
    "SYSTEM_PERIODIC_RELEASE = HoldReasonCode != 1 && NumJobStarts < 20\n",
    "SYSTEM_PERIODIC_HOLD = NumJobStarts > 10\n"
    "SYSTEM_PERIODIC_RELEASE = HoldReasonCode != 26 && NumJobStarts < 20\n",
    per=Per.CONFIGURATION,
    observed="Observed with 25.14.1 and `PERIODIC_EXPR_INTERVAL = 3`: within 20 s a job that never"
    " runs has a NumHolds of 4, a HoldReasonCode of 26, and a NumSystemHolds of 0.",
)
def released_again(view: View) -> Iterator[Diagnostic]:
    """Some job is held while it is idle and released, whatever it has besides."""
    holding = [one for one in view.expressions() if _HOLDING.fullmatch(one.macro)]
    for release in view.expressions() if holding else ():
        for hold in holding if _RELEASING.fullmatch(release.macro) else ():
            job = None if hold.tree is None else _of_both(hold.tree, release.tree)
            if job is None:
                continue
            shown = " and ".join(f"{name} = {value}" for name, value in job.items())
            message = f"{release.macro} is true for jobs that {hold.macro} holds"
            help_text = (
                f"{f'a job with {shown}' if job else 'every job'} is released and held again"
            )
            yield release.say(released_again, message, release.whole(), f"{help_text} without end")
            return


def _of_both(hold: Node, release: Node | None) -> dict[str, str] | None:
    """What a job has that is held whenever it is idle, and released whenever it is held."""
    trees = (hold,) if release is None else (hold, release)
    names_ = {one.name.casefold(): one.name for tree in trees for one in references(tree)}
    runs = [name for name in names_ if name in _RUNS]
    columns = [name for name in names_ if name not in (*_FIXED, *_CHANGING, *_RUNS)] + runs[:1]
    nodes = [node for tree in trees for node in walk(tree)]
    numbers = {one for one in map(number, nodes) if one is not None and isfinite(one)}
    near = sorted({int(one) + step for one in numbers for step in (-1, 0, 1)})
    texts = sorted({one for one in map(text_of, nodes) if one is not None})
    values: list[int | str | None] = [*near, 1000, 2000, *texts, None]
    if release is None or len(columns) > _ATTRIBUTES or len(values) ** len(columns) > _JOBS:
        return None
    for job in product(values, repeat=len(columns)):
        ad = dict(zip(columns, job, strict=True))
        if runs:
            ad |= dict.fromkeys(runs, ad[runs[0]])
        if _holds(hold, ad, _IDLE, _NOW) and _holds(release, ad, _ON_HOLD, _LONG_AGO):
            return {names_[name]: _written(value) for name, value in ad.items()}
    return None


def _written(value: int | str | None) -> str:
    """A value as an expression has it."""
    return "undefined" if value is None else f'"{value}"' if isinstance(value, str) else str(value)


def _holds(tree: Node, job: Mapping[str, int | str | None], status: int, since: int) -> bool:
    """Is it true of a job that has had its status for so long?"""
    ad = Ad()
    changing = {"jobstatus": status, "enteredcurrentstatus": since}
    for name, value in {**job, **_FIXED, **changing}.items():
        if value is not None:
            ad.insert(name, value)
    return evaluate(tree, ad, context=EvalContext(now=_NOW)) is True


def _is_cut(one: MacroExpression) -> bool:
    """Are all slots that the expression is for partitionable?"""
    view, types = one.view, one.setting.upper.split("_")[2:3]
    if any(name.endswith("consumption_policy") for name in view.of_macro):
        return False  # that says what a dynamic slot has
    if not types:
        found = (_MADE.fullmatch(entry.name) for entry in view.config.scope.table)
        types = [made[1] for made in found if made is not None]
    if not types and view.config.text("NUM_SLOTS") is None:
        return "STARTD" in (view.config.text("DAEMON_LIST") or "").upper()
    return bool(types) and all(
        view.is_on(f"SLOT_TYPE_{number}_PARTITIONABLE", "STARTD", False) for number in types
    )
