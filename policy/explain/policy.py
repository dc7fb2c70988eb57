"""A policy in sentences: preemption, ranks, and what takes part.

What is decided here: what is worth saying about a policy and in which words; that an expression
is constant.  Inputs: a ``Config`` and the ``PolicyLoad`` made from it; for numbers of a pool,
``Quotas``.  Outputs: ``Sentence`` values in reading order.
Never here: layout, quota arithmetic (it comes in with ``Quotas``).
Follows: the preemption and policy chapters of the manual, corrected by what 25.14.1 does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

from attr import frozen

from classad.errors import ClassAdParseError
from policy.config import Config
from policy.explain.sentences import Origin, Sentence, Teller, code, listing, origin_of
from policy.knobs import matching as matching
from policy.knobs.declaration import Knob
from policy.language import expressions
from policy.language.macros import ExpansionError
from policy.language.table import Definition
from policy.load import PolicyLoad

if TYPE_CHECKING:
    from classad.ads.expression import Expression as ExprTree
    from policy.model import NegotiatorPolicy


@frozen
class Quotas:
    """Effective quotas in a pool of ``pool`` weighted slots, by group name.

    ``own`` is for the group's own submitters, ``subtree`` for it and all groups below it.
    """

    pool: float
    own: Mapping[str, float]
    subtree: Mapping[str, float]


#: Computes the quotas of a policy in a pool of so many weighted slots.
QuotaRule = Callable[["NegotiatorPolicy", float], Quotas]

_OTHER_DAEMONS: Final = frozenset(
    ["schedd", "negotiator", "collector", "master", "shadow", "starter", "tool", "submit", "credd"]
)
#: Functions whose value is not settled by their arguments.
_UNSETTLED: Final = frozenset(["time", "random", "daytime"])


def explain_policy(
    config: Config, loaded: PolicyLoad, quotas: Quotas | None = None
) -> tuple[Sentence, ...]:
    """Everything there is to say about a policy."""
    from policy.explain.shares import about_groups, about_limits, about_priorities

    return (
        *_about_start(config, loaded),
        *_about_preemption(Teller(config, "Preemption")),
        *_about_ranks(Teller(config, "Order of the candidates, the first difference decides")),
        *about_groups(config, loaded.policy, quotas),
        *about_priorities(Teller(config, "Priorities and shares")),
        *about_limits(Teller(config, "Concurrency limits"), loaded.policy),
        *_about_selection(Teller(config, "What takes part")),
        *_about_unsupported(loaded),
    )


def constant_value(tree: ExprTree) -> tuple[bool, object]:
    """Whether an expression has the same value for every slot and job, and that value."""
    from classad import ClassAd
    from classad.analysis.flatten import flatten
    from classad.syntax.nodes import Call, walk

    calls = (node.name.casefold() for node in walk(tree.node) if isinstance(node, Call))
    if any(name in _UNSETTLED for name in calls):
        return False, None
    found = flatten(ClassAd(), tree)
    return found.ok and found.tree is None, found.value


def _about_start(config: Config, loaded: PolicyLoad) -> Iterator[Sentence]:
    errors = [found for found in loaded.diagnostics if found.severity == "error"]
    for found in errors:
        file = found.source.name if found.source is not None else None
        origin = Origin(found.message.partition(":")[0], file, found.line)
        text = "condor_negotiator does not start with this; what follows uses the default: "
        yield Sentence("Start", text + found.message, (origin,))


def _about_preemption(tell: Teller) -> Iterator[Sentence]:
    consider = tell.read(matching.NEGOTIATOR_CONSIDER_PREEMPTION)
    yield _priority_preemption(tell, consider.boolean())
    requirements = tell.read(matching.PREEMPTION_REQUIREMENTS)
    tree = requirements.expression()
    if consider.boolean() and tree is not None and not constant_value(tree)[0]:
        yield tell.say(f"PREEMPTION_REQUIREMENTS is {code(requirements.text)}.", requirements)
        if not _mentions(tree, "RemoteUserPrio") or not _mentions(
            tree, "SubmitterUserPrio", "SubmittorPrio"
        ):
            yield tell.say(
                "It does not compare the two users' priorities, and nothing else does: a user can"
                " preempt one with a better priority.",
                requirements,
            )
    yield from _rank_preemption(tell, consider.boolean())
    yield from _startd_preemption(tell)
    for macro in ("RANK", "PREEMPT"):
        yield from _unparsable(tell, macro)
    if consider.boolean():
        yield from _retirement(tell)
        pslots = tell.read(matching.ALLOW_PSLOT_PREEMPTION)
        if pslots.boolean():
            text = "Several dynamic slots of a partitionable slot may be preempted for one request."
            yield tell.say(text, pslots)


def _priority_preemption(tell: Teller, considered: bool) -> Sentence:
    """The first of the four switches, and the second if it is the one that counts."""
    consider = tell.read(matching.NEGOTIATOR_CONSIDER_PREEMPTION)
    requirements = tell.read(matching.PREEMPTION_REQUIREMENTS)
    what = "Preemption for user priority is"
    if not considered:
        text = "off: NEGOTIATOR_CONSIDER_PREEMPTION is false, claimed slots are not looked at."
        return tell.say(f"{what} {text}", consider)
    tree = requirements.expression()
    settled, value = (True, True) if tree is None else constant_value(tree)
    if not settled:
        text = "on, where PREEMPTION_REQUIREMENTS is exactly true."
    elif value is True:
        why = "set to nothing" if tree is None else "always true"
        text = f"on for every slot: PREEMPTION_REQUIREMENTS is {why}, priorities are not compared."
    else:
        only = "" if value is False else ", and only exactly true counts"
        text = f"off: PREEMPTION_REQUIREMENTS is {code(requirements.text)}{only}."
    return tell.say(f"{what} {text}", requirements, consider)


def _rank_preemption(tell: Teller, considered: bool) -> Iterator[Sentence]:
    """The third switch: startds that prefer one job to another."""
    what = "Preemption for the startd's RANK is"
    if not considered:
        consider = tell.read(matching.NEGOTIATOR_CONSIDER_PREEMPTION)
        yield tell.say(f"{what} off for the same reason.", consider)
        return
    varying = [
        (text, origins)
        for text, origins, tree in startd_settings(tell.config, "RANK")
        if tree is not None and not constant_value(tree)[0]
    ]
    if not varying:
        places = [o for _, each, _ in startd_settings(tell.config, "RANK") for o in each]
        text = f"{what} off: RANK prefers no job at any startd of this configuration."
        yield tell.say(text, *(places or [Origin("RANK")]))
        return
    yield tell.say(
        f"{what} on, whatever PREEMPTION_REQUIREMENTS says, where RANK puts the new job above the"
        " running one:",
        tell.read(matching.NEGOTIATOR_CONSIDER_PREEMPTION),
    )
    for text, origins in varying:
        where = listing(_startd(origin) for origin in origins)
        yield tell.say(f"{code(text)} at {where}", *origins, depth=1)


def _startd_preemption(tell: Teller) -> Iterator[Sentence]:
    """The fourth switch: what a startd does without the negotiator."""
    settings = startd_settings(tell.config, "PREEMPT")
    active = [
        (text, origins)
        for text, origins, tree in settings
        if tree is not None and _may_be_true(*constant_value(tree))
    ]
    if not active:
        places = [o for _, each, _ in settings for o in each]
        text = "No startd ends jobs of its own accord: PREEMPT is never true."
        yield tell.say(text, *(places or [Origin("PREEMPT")]))
    for text, origins in active:
        where = listing(_startd(origin) for origin in origins)
        yield tell.say(
            f"A startd itself ends jobs where PREEMPT is {code(text)}: {where}", *origins
        )


def _retirement(tell: Teller) -> Iterator[Sentence]:
    for text, origins, tree in startd_settings(tell.config, "MAXJOBRETIREMENTTIME"):
        settled, value = (False, None) if tree is None else constant_value(tree)
        if settled and isinstance(value, int | float) and value <= 0:
            continue
        said = f"A preempted job may run on until it has had {code(text)} seconds"
        yield tell.say(f"{said}: {listing(_startd(o) for o in origins)}", *origins)
    early = tell.read(matching.NEGOTIATOR_CONSIDER_EARLY_PREEMPTION)
    if early.boolean():
        text = "Slots whose job still has retirement time are looked at, too."
    else:
        text = "Slots with RetirementTimeRemaining above 0 are left out."
    yield tell.say(text, early)


def startd_settings(
    config: Config, macro: str
) -> list[tuple[str, tuple[Origin, ...], ExprTree | None]]:
    """The values that a macro has at the startds: expanded text, where, parsed if it parses.

    A definition with a local name counts for the startd of that name.
    """
    found: dict[str, list[Origin]] = {}
    for entry in config.scope.table:
        *prefixes, name = entry.name.split(".")
        known = [p for p in prefixes if p.casefold() != "startd"]
        if name.casefold() != macro.casefold() or len(known) > 1:
            continue
        if any(prefix.casefold() in _OTHER_DAEMONS for prefix in known):
            continue
        text = _startd_text(config, entry, known[0] if known else None)
        found.setdefault(text, []).append(origin_of(macro, entry))
    return [(text, tuple(origins), _parsed(text)) for text, origins in found.items() if text]


def _startd_text(config: Config, entry: Definition, local_name: str | None) -> str:
    try:
        return config.seen_by("STARTD", local_name).expand(entry).text
    except ExpansionError:
        return entry.raw


def _parsed(text: str) -> ExprTree | None:
    try:
        return expressions.parse(text)
    except ClassAdParseError:
        return None


def _may_be_true(settled: bool, value: object) -> bool:
    is_number = value.__class__ in (bool, int, float)
    return not settled or (is_number and bool(value))


def _unparsable(tell: Teller, macro: str) -> Iterator[Sentence]:
    for text, origins, tree in startd_settings(tell.config, macro):
        if tree is None:
            where = listing(_startd(origin) for origin in origins)
            yield tell.say(f"{macro} is {code(text)} at {where}: that is no expression.", *origins)


def _startd(origin: Origin) -> str:
    """Which startds a definition is for."""
    names = [part for part in origin.knob.split(".")[:-1] if part.casefold() != "startd"]
    return names[0] if names else "every startd"


def _mentions(tree: ExprTree, *names: str) -> bool:
    from classad.syntax.nodes import Reference, walk

    wanted = {name.casefold() for name in names}
    return any(
        isinstance(node, Reference) and node.name.casefold() in wanted for node in walk(tree.node)
    )


def _about_ranks(tell: Teller) -> Iterator[Sentence]:
    """The five keys in the order in which they decide."""
    ignore = tell.read(matching.NEGOTIATOR_IGNORE_JOB_RANKS)
    yield _rank(tell, 1, matching.NEGOTIATOR_PRE_JOB_RANK)
    if ignore.boolean():
        yield tell.say(
            "2. nothing: NEGOTIATOR_IGNORE_JOB_RANKS is true, Rank does not count", ignore
        )
    else:
        yield tell.say("2. the job's own Rank, greatest first")
    yield _rank(tell, 3, matching.NEGOTIATOR_POST_JOB_RANK)
    yield tell.say(
        "4. slots that nobody is preempted from, then preemption for RANK, then for user priority"
    )
    if ignore.boolean():
        yield tell.say("5. nothing: PREEMPTION_RANK does not count either", ignore)
    else:
        yield _rank(tell, 5, matching.PREEMPTION_RANK)


def _rank(tell: Teller, number: int, knob: Knob) -> Sentence:
    reading = tell.read(knob)
    tree = reading.expression()
    if tree is None:
        return tell.say(f"{number}. nothing: {knob.name} is empty", reading)
    if constant_value(tree)[0]:
        text = f"{number}. nothing: {knob.name} is {code(reading.text)} for all"
        return tell.say(text, reading)
    return tell.say(f"{number}. {knob.name}, greatest first: {code(reading.text)}", reading)


def _about_selection(tell: Teller) -> Iterator[Sentence]:
    for knob, what in (
        (matching.NEGOTIATOR_SLOT_CONSTRAINT, "Only slots that fulfil {} exist"),
        (matching.NEGOTIATOR_SUBMITTER_CONSTRAINT, "Only submitters that fulfil {} exist"),
        (matching.NEGOTIATOR_JOB_CONSTRAINT, "Only jobs that fulfil {} are offered"),
    ):
        reading = tell.read(knob)
        if reading.expression() is not None:
            yield tell.say(what.format(code(reading.text)) + ".", reading)
    weights = tell.read(matching.NEGOTIATOR_USE_SLOT_WEIGHTS)
    if not weights.boolean():
        yield tell.say("Every slot counts one.", weights)
        return
    weight = tell.read(matching.SLOT_WEIGHT)
    force = tell.read(matching.FORCE_NEGOTIATOR_SLOT_WEIGHT)
    if force.boolean():
        yield tell.say(f"Every slot counts {code(weight.text)}.", force, weight)
    else:
        text = "A slot counts its own SlotWeight"
        yield tell.say(f"{text}, one without it {code(weight.text)}.", weights, weight)


def _about_unsupported(loaded: PolicyLoad) -> Iterator[Sentence]:
    for setting in loaded.unsupported:
        yield Sentence(
            "Not honoured by pieslice negotiate",
            f"{setting.macro} is {code(setting.text)}: {setting.reason}.",
            (origin_of(setting.macro, setting.definition),),
        )
