"""Says what the startds of an execute node do: slots, who may start, how jobs leave, scripts, GPUs.

Follows: the policy chapters of the manual; what slots come of NUM_SLOTS, of NUM_SLOTS_TYPE_<n> with
and without SLOT_TYPE_<n>, and of none of them: condor_startd of 25.14.1 and 23.9.6, asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from attr import frozen

from classad.errors import ClassAdParseError
from classad.patterns import late_regex
from classad.syntax.nodes import Reference, walk
from policy.config import Config
from policy.explain.conclusions import published
from policy.explain.parts import SHORT, Teller
from policy.explain.roles import Host
from policy.explain.sentences import Origin, Sentence, Topic, origin_of
from policy.explain.words import code, duration, listing
from policy.knobs.choices import CRON_PERIOD
from policy.knobs.other_daemons import DAEMONS
from policy.language import expressions
from policy.language.macros import ExpansionError
from policy.language.table import Definition
from policy.publishing import text_of

if TYPE_CHECKING:
    from classad.ads.expression import Expression

_TYPE: Final = late_regex(r"(?:NUM_SLOTS|SLOT)_TYPE_(\d+)", re.IGNORECASE)
_RESOURCE: Final = late_regex(r"MACHINE_RESOURCE_(?!NAMES$|INVENTORY_)(\w+)", re.IGNORECASE)
#: What the machine has, if the files say so and not the startd's own look.
_MACHINE: Final = {"NUM_CPUS": "cores", "MEMORY": "MiB of memory", "DISK": "KiB of disk"}
_KEPT: Final = {"RESERVED_MEMORY": "MiB of memory", "RESERVED_DISK": "MiB of disk"}
#: Seconds with which sites say that there is no limit.
_FOREVER: Final = 10 * 365 * 86400
#: A program that is looked for in no folder.
_BARE_NAME: Final = late_regex(r"[\w.-]+(?:\s|$)")
_ROUNDED: Final = ("Cpus", "Memory", "Disk")


def about_execute(topic: Topic, host: Host) -> Iterator[Sentence]:
    """What a job meets on the machine, from the slot that it gets to how it leaves."""
    topic = topic.reread(topic.config.seen_by("STARTD"))
    yield from _slots(topic.titled("Slots and how they are cut"))
    yield from _start(topic.titled("Who may start"))
    yield from _leaving(topic.titled("When a job is preempted"))
    yield from _at_the_keyboard(topic.titled("Who sits at the machine"))
    yield from _times(topic.titled("How long it may retire and vacate"))
    yield from about_draining(topic.titled("Draining and defragmentation"), host)
    yield from _scripts(topic.titled("Scripts of the startd"))
    yield from _gpus(topic.titled("GPUs"))


#: What slots know of whoever sits at the machine, and how many of them do.
_CONNECTED: Final = {
    "KeyboardIdle": "SLOTS_CONNECTED_TO_KEYBOARD", "ConsoleIdle": "SLOTS_CONNECTED_TO_CONSOLE",
}  # fmt: skip
_POLICY: Final = ("START", "SUSPEND", "CONTINUE", "PREEMPT", "KILL", "WANT_SUSPEND", "WANT_VACATE")


def _at_the_keyboard(topic: Topic) -> Iterator[Sentence]:
    """Whether a policy of files that looks at the keyboard can know of it: by default no slot does,
    and the attribute counts up from 1200 s at the start of the startd."""
    texts = {macro: startd_settings(topic.config, macro) for macro in _POLICY}
    for attribute, macro in _CONNECTED.items():
        named = [m for m, all_ in texts.items() if any(attribute in one.text for one in all_)]
        entry = topic.config.lookup(macro)
        if named and text_of(topic.config, entry).strip() in ("", "0"):
            text = f"No slot is told of it: {macro} is 0, and the {attribute} of {listing(named)}"
            yield topic.sentence(f"{text} only grows.", origin_of(macro, entry))


# --- slots ----------------------------------------------------------------------------------------


def _slots(topic: Topic) -> Iterator[Sentence]:
    for macro, what in _MACHINE.items():
        for one in startd_settings(topic.config, macro):
            shown, assumed = _as_written(topic.config, one)
            text = f"The machine counts as {shown} {what}{one.where()}"
            text += "." if assumed else ", whatever it has."
            yield topic.sentence(text, *one.origins)
    for macro, what in _KEPT.items():
        for one in startd_settings(topic.config, macro):
            shown, _ = _as_written(topic.config, one)
            text = f"{shown} {what} are kept from jobs{one.where()}."
            yield topic.sentence(text, *one.origins)
    names = {entry.name.rpartition(".")[2] for entry in topic.config.scope.table}
    found = sorted({int(type_[1]) for name in names if (type_ := _TYPE.fullmatch(name))})
    types = [one for number in found for one in _type(topic, number)]
    yield from types
    if not any(_is_count(one) for one in types):
        yield from _without_types(topic)
    for name in sorted(names, key=str.casefold):
        resource = _RESOURCE.fullmatch(name)
        for one in startd_settings(topic.config, name) if resource else ():
            text = f"Shared out like cores: {name.partition('_')[2].partition('_')[2]}"
            yield topic.sentence(f"{text}, {code(one.text)}{one.where()}.", *one.origins)
    if not types or any("partitionable" in one.text for one in types):
        yield from _rounding(topic)


def _is_count(sentence: Sentence) -> bool:
    return any(origin.knob.upper().find("NUM_SLOTS_TYPE_") >= 0 for origin in sentence.origins)


def _type(topic: Topic, number: int) -> Iterator[Sentence]:
    """The slots of one type, and that there are none of it."""
    counts = startd_settings(topic.config, f"NUM_SLOTS_TYPE_{number}")
    shape = topic.config.lookup(f"SLOT_TYPE_{number}")
    if not counts and shape is not None:
        text = f"SLOT_TYPE_{number} makes no slot: NUM_SLOTS_TYPE_{number} is not set."
        yield topic.sentence(text, origin_of(shape.name, shape))
    for one in counts:
        if one.text.strip() == "0":
            continue
        own = shape is not None and topic.config.is_assumed(shape)
        share = (shape.raw if own and shape else text_of(topic.config, shape)).strip()
        shown, assumed = _as_written(topic.config, one)
        count = shown if assumed else one.text.strip()
        single = count == "1"
        of = f"{'' if single else ' each'} of {code(share)}" if share else ", of even shares"
        plural = "" if single else "s"
        kind = _kind(topic.config, number)
        text = f"{count} {kind} slot{plural} (type {number}){of}{one.where()}."
        places = () if shape is None else (origin_of(shape.name, shape),)
        yield topic.sentence(text, *one.origins, *places)


def _kind(config: Config, number: int) -> str:
    backfill = _is_on(config, f"SLOT_TYPE_{number}_BACKFILL")
    cut = _is_on(config, f"SLOT_TYPE_{number}_PARTITIONABLE")
    return ("backfill, " if backfill else "") + ("partitionable" if cut else "static")


def _is_on(config: Config, macro: str) -> bool:
    return text_of(config, config.lookup(macro)).strip().casefold()[:1] in ("t", "1")


def _without_types(topic: Topic) -> Iterator[Sentence]:
    each = "each job gets a dynamic slot of what it asks for"
    counts = startd_settings(topic.config, "NUM_SLOTS")
    for one in counts:
        shown, assumed = _as_written(topic.config, one)
        count = shown if assumed else one.text.strip()
        share = "slot has the whole machine" if count == "1" else "slots share the machine evenly"
        text = f"{count} partitionable {share}; {each}{one.where()}."
        yield topic.sentence(text, *one.origins)
    if not counts:
        text = f"One partitionable slot has the whole machine; {each}."
        yield topic.sentence(text, Origin("NUM_SLOTS"))


def _rounding(topic: Topic) -> Iterator[Sentence]:
    """What a request becomes before a dynamic slot is cut."""
    for name in _ROUNDED:
        entry = topic.config.lookup(f"MODIFY_REQUEST_EXPR_REQUEST{name.upper()}")
        # The default of the disk is about catalogs that few sites have.
        if entry is None or (entry.is_builtin and len(text_of(topic.config, entry)) > SHORT):
            continue
        lead = f"A dynamic slot is cut for Request{name} of"
        yield from Teller(topic).tell(lead, entry)


def _as_written(config: Config, one: StartdSetting) -> tuple[str, bool]:
    """A value, and whether it is as in the file: one of a machine of which nobody has told."""
    assumed = config.is_assumed(one.entry)
    return code(one.entry.raw if assumed else one.text), assumed


# --- jobs come and go -----------------------------------------------------------------------------


def _start(topic: Topic) -> Iterator[Sentence]:
    teller = Teller(topic)
    for one in _of_types(topic, "START"):
        found = None if one.tree is None else topic.conclude("START", one.tree)
        if one.tree is None:
            text = f"START is {code(one.text)}{one.where()}: that is no expression."
            yield topic.sentence(text, *one.origins)
        elif found is not None and found.settled:
            text = "Any job may start" if found.is_true else "No job may start"
            always = "always" if found.is_true else "never"
            said = f"{text}{one.where()}: START is {code(one.text)}, which is {always} true."
            yield topic.sentence(said, *one.origins)
        else:
            # What a type of slots has replaces what the others have.
            instead = ", whatever START is elsewhere," if one.slots else ""
            yield from _tell(teller, f"A job may start{one.where()}{instead} where START is", one)
            yield from _attributes(topic, teller, one.tree)
    lead = "The machine is its owner's, and no job starts, where"
    yield from _where(topic, teller, "IS_OWNER", lead)
    for one in startd_settings(topic.config, "STARTD_NOCLAIM_SHUTDOWN"):
        seconds = _seconds(topic, "STARTD_NOCLAIM_SHUTDOWN", one)
        if seconds is not None and seconds > 0:
            text = f"HTCondor is shut down here after {duration(seconds)} without a claim"
            text += f"{one.where()}."
            yield topic.sentence(text, *one.origins)


def _attributes(topic: Topic, teller: Teller, tree: Expression) -> Iterator[Sentence]:
    """What the attributes are that START looks at and the startd itself publishes."""
    own, todo, told = published(topic.config), [tree], set[str]()
    while todo:
        for node in walk(todo.pop(0).node):
            folded = node.name.casefold() if isinstance(node, Reference) else ""
            entry = topic.config.lookup(folded) if folded in own and folded not in told else None
            if entry is None or not isinstance(node, Reference):
                continue
            told.add(folded)
            yield from teller.tell(f"{node.name}, an attribute of the slot, is", entry, depth=1)
            inner = _parsed(text_of(topic.config, entry))
            todo += [] if inner is None else [inner]


#: What else a hold has that the startd asks for.
_OF_HOLDS: Final = (("WANT_HOLD_REASON", "the reason"), ("WANT_HOLD_SUBCODE", "the subcode"))


def _leaving(topic: Topic) -> Iterator[Sentence]:
    """RANK, PREEMPT and their like."""
    teller = Teller(topic)
    varying = varying_ranks(topic)
    for one in varying:
        lead = f"A job that RANK puts higher may take the slot{one.where()}, if the negotiator"
        yield from _tell(teller, f"{lead} preempts: RANK is", one)
    for macro in ("RANK", "PREEMPT"):
        for one in startd_settings(topic.config, macro):
            if one.tree is None:
                text = f"{macro} is {code(one.text)}{one.where()}: that is no expression."
                yield topic.sentence(text, *one.origins)
    active = list(_where(topic, teller, "PREEMPT", "The startd itself ends a job where"))
    yield from active
    if not active:
        origins = [o for one in startd_settings(topic.config, "PREEMPT") for o in one.origins]
        text = "The startd ends no job of its own accord: PREEMPT is never true."
        yield topic.sentence(text, *(origins or [Origin("PREEMPT")]))
    held = list(_where(topic, teller, "WANT_HOLD", "A job that it ends is put on hold where"))
    yield from held
    for macro, what in _OF_HOLDS if held else ():
        for one in _of_types(topic, macro):
            yield from _tell(teller, f"{what} is", one, 1, one.where())
    if list(_where(topic, Teller(topic), "WANT_SUSPEND", "")):
        suspending = list(_where(topic, teller, "SUSPEND", "A job is suspended where"))
        yield from suspending
        if suspending:
            yield from _where(topic, teller, "CONTINUE", "and goes on where", depth=1)
    life = topic.config.lookup("CLAIM_WORKLIFE")
    if life is not None and (said := text_of(topic.config, life).strip()):
        seconds = _constant(topic, "CLAIM_WORKLIFE", _parsed(said))
        text = f"A claim starts no further job after {code(said)} seconds."
        if seconds is not None and seconds > 0:
            text = f"A claim starts no further job after {duration(seconds)}."
        elif seconds is not None:
            text = "A claim is for one job." if seconds == 0 else "A claim starts jobs without end."
        yield topic.sentence(text, origin_of(life.name, life))


def _times(topic: Topic) -> Iterator[Sentence]:
    """How a job that has to go leaves."""
    teller = Teller(topic)
    retirement = _of_types(topic, "MAXJOBRETIREMENTTIME")
    for one in retirement:
        value = _seconds(topic, "MAXJOBRETIREMENTTIME", one)
        if value is not None and value <= 0:
            text = f"A preempted job may not run on{one.where()}: MAXJOBRETIREMENTTIME is 0."
            yield topic.sentence(text, *one.origins)
            continue
        lead = f"A preempted job may run on{one.where()} until it has had"
        yield from _time(topic, teller, lead, one, value)
    if not retirement:
        text = "A preempted job may not run on: MAXJOBRETIREMENTTIME is 0."
        yield topic.sentence(text, Origin("MAXJOBRETIREMENTTIME"))
    for one in _of_types(topic, "MACHINEMAXVACATETIME"):
        value = _seconds(topic, "MACHINEMAXVACATETIME", one)
        yield from _time(topic, teller, f"Then it has to vacate{one.where()} within", one, value)
    yield from _where(topic, teller, "KILL", "It is killed before that time is over where")
    ends = any(_where(topic, Teller(topic), "PREEMPT", ""))
    if ends and not any(_where(topic, Teller(topic), "WANT_VACATE", "")):
        origins = [o for one in startd_settings(topic.config, "WANT_VACATE") for o in one.origins]
        text = "A job that the startd itself ends is killed at once: WANT_VACATE is never true."
        yield topic.sentence(text, *origins)


def _seconds(topic: Topic, macro: str, one: StartdSetting) -> float | None:
    """The time, if it is the same for all jobs."""
    return _constant(topic, macro, one.tree)


def _constant(topic: Topic, macro: str, tree: Expression | None) -> float | None:
    value = None if tree is None else topic.conclude(macro, tree).value
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and isinstance(value, int | float) else None


def _time(
    topic: Topic, teller: Teller, lead: str, one: StartdSetting, value: float | None
) -> Iterator[Sentence]:
    if value is None:
        yield from _tell(teller, f"{lead}, in seconds,", one)
    elif value >= _FOREVER:
        yield topic.sentence(f"{lead} all the time that it takes.", *one.origins)
    else:
        yield topic.sentence(f"{lead} {duration(value)}.", *one.origins)


def _where(
    topic: Topic, teller: Teller, macro: str, lead: str, depth: int = 0
) -> Iterator[Sentence]:
    """What happens where a macro is true, if that can be."""
    for one in _of_types(topic, macro):
        if one.tree is None or topic.conclude(macro, one.tree).is_never_true:
            continue
        yield from _tell(teller, f"{lead} {macro} is", one, depth, one.where())


def _tell(
    teller: Teller, lead: str, one: StartdSetting, depth: int = 0, tail: str = ""
) -> Iterator[Sentence]:
    yield from teller.tell(lead, one.entry, *one.origins, depth=depth, tail=tail)


# --- draining, scripts, GPUs ----------------------------------------------------------------------

_DEFRAG: Final = (
    ("DEFRAG_INTERVAL", "condor_defrag looks for machines to drain every {} seconds."),
    ("DEFRAG_DRAINING_MACHINES_PER_HOUR", "It begins to drain at most {} of them an hour."),
    ("DEFRAG_MAX_CONCURRENT_DRAINING", "At most {} drain at a time."),
    ("DEFRAG_MAX_WHOLE_MACHINES", "It drains none while {} are whole."),
    ("DEFRAG_DRAINING_SCHEDULE", "Jobs on them end by the schedule {}."),
)
_NO_LIMIT: Final = "-1"
_DEFRAG_WHERE: Final = (
    ("DEFRAG_REQUIREMENTS", "It drains machines where DEFRAG_REQUIREMENTS is"),
    ("DEFRAG_WHOLE_MACHINE_EXPR", "A machine is whole where DEFRAG_WHOLE_MACHINE_EXPR is"),
    ("DEFRAG_CANCEL_REQUIREMENTS", "Draining ends early where DEFRAG_CANCEL_REQUIREMENTS is"),
    ("DEFRAG_RANK", "The machines of the highest DEFRAG_RANK come first:"),
)


def about_draining(topic: Topic, host: Host) -> Iterator[Sentence]:
    """What a machine that drains takes, and which ones condor_defrag drains if it runs here."""
    if host.runs("STARTD"):
        seen = topic.reread(topic.config.seen_by("STARTD"))
        entry = seen.config.lookup("DEFAULT_DRAINING_START_EXPR")
        if entry is not None:
            lead = "A machine that drains takes jobs where DEFAULT_DRAINING_START_EXPR is"
            yield from Teller(seen).tell(lead, entry)
    if not host.runs("DEFRAG"):
        if host.runs("STARTD"):
            yield topic.sentence("condor_defrag, which chooses machines to drain, is elsewhere.")
        return
    seen = topic.reread(topic.config.seen_by("DEFRAG"))
    teller = Teller(seen)
    for macro, text in _DEFRAG:
        entry = seen.config.lookup(macro)
        value = text_of(seen.config, entry).strip()
        if entry is not None and value and value != _NO_LIMIT:
            yield seen.sentence(text.format(code(value)), origin_of(macro, entry))
    for macro, lead in _DEFRAG_WHERE:
        entry = seen.config.lookup(macro)
        if entry is not None and text_of(seen.config, entry).strip():
            yield from teller.tell(lead, entry)


def _scripts(topic: Topic) -> Iterator[Sentence]:
    listed = topic.config.lookup("STARTD_CRON_JOBLIST")
    for name in dict.fromkeys(re.split(r"[\s,]+", text_of(topic.config, listed).strip())):
        head = f"STARTD_CRON_{name}_"
        program = topic.config.lookup(f"{head}EXECUTABLE") if name else None
        if program is None:
            continue
        parts = {
            part: text_of(topic.config, topic.config.lookup(f"{head}{part}")).strip()
            for part in ("MODE", "PERIOD", "ARGS", "PREFIX")
        }
        mode, period = parts["MODE"].casefold(), parts["PERIOD"]
        when = "once" if mode in ("oneshot", "ondemand") else f"every {code(period)}"
        waits = ", again as soon as it ends" if mode == "waitforexit" else f", {when}"
        run = f"{text_of(topic.config, program)} {parts['ARGS']}".strip()
        text = f"{name} runs {code(run)}{waits}, and its output becomes attributes of the slots"
        text += f", which begin with {code(parts['PREFIX'])}." if parts["PREFIX"] else "."
        wrong = f"{code(period)} is no period" if not CRON_PERIOD.fullmatch(period or "0") else None
        wrong = f"{code(run)} has no whole path" if _BARE_NAME.match(run) else wrong
        text = f"{name} runs nothing: {wrong}." if wrong else text
        yield topic.sentence(text, origin_of(program.name, program))


def _gpus(topic: Topic) -> Iterator[Sentence]:
    fixed = topic.config.lookup("MACHINE_RESOURCE_GPUS")
    found = topic.config.lookup("MACHINE_RESOURCE_INVENTORY_GPUS")
    detect = topic.config.lookup("STARTD_DETECT_GPUS")
    if fixed is not None:
        has = text_of(topic.config, fixed).strip()
        text = f"The machine has the GPUs {code(has)}."
        text = f"The machine counts as one with {has} GPUs." if has.isdecimal() else text
        yield topic.sentence(text, origin_of(fixed.name, fixed))
    elif found is not None:
        text = f"{code(text_of(topic.config, found))} says which GPUs there are."
        yield topic.sentence(text, origin_of(found.name, found))
    else:
        options = text_of(topic.config, detect).strip()
        origins = () if detect is None else (origin_of(detect.name, detect),)
        text = f"The startd looks for GPUs: {code(f'condor_gpu_discovery {options}')}."
        if options.casefold() in ("", "false"):
            text = "The startd does not look for GPUs."
        yield topic.sentence(text, *origins)


# --- what the startds have ------------------------------------------------------------------------


@frozen
class StartdSetting:
    """A value of a macro: expanded text, where it is set, ``tree`` if it is an expression;
    ``entry`` is the first of its definitions, ``slots`` what stands before the macro's name."""

    text: str
    origins: tuple[Origin, ...]
    tree: Expression | None
    entry: Definition
    slots: str = ""

    def startds(self) -> str:
        """The startds that have it, by local name."""
        return listing(origin.startds() for origin in self.origins)

    def where(self) -> str:
        """At which startds or slots, as the end of a phrase; empty if at all of them."""
        names = [name for origin in self.origins if (name := origin.local_name())]
        at = f" at {listing(names)}" if names and len(names) == len(self.origins) else ""
        return f"{at}{self.slots}"


def startd_settings(config: Config, macro: str) -> list[StartdSetting]:
    """The values that files give a macro at the startds.

    A definition with a local name counts for the startd of that name.
    """
    found: dict[str, list[tuple[Origin, Definition]]] = {}
    for entry in config.scope.table:
        *prefixes, name = entry.name.split(".")
        known = [p for p in prefixes if p.casefold() != "startd"]
        if name.casefold() != macro.casefold() or len(prefixes) > 1:
            continue  # nobody reads a name with two prefixes
        if any(prefix.upper() in DAEMONS for prefix in known):
            continue
        try:
            text = config.seen_by("STARTD", known[0] if known else None).expand(entry).text
        except ExpansionError:
            text = entry.raw
        found.setdefault(text, []).append((origin_of(macro, entry), entry))
    return [
        StartdSetting(text, tuple(origin for origin, _ in places), _parsed(text), places[0][1])
        for text, places in found.items()
        if text
    ]


def _of_types(topic: Topic, macro: str) -> list[StartdSetting]:
    """The values for all slots, the default where there is none, and those for types of slots."""
    found = startd_settings(topic.config, macro)
    everywhere = any(not origin.local_name() for one in found for origin in one.origins)
    entry = topic.config.lookup(macro)
    if not everywhere and entry is not None:
        text = text_of(topic.config, entry)
        default = StartdSetting(text, (origin_of(macro, entry),), _parsed(text), entry)
        found += [default] if text else []
    for entry in topic.config.scope.table:
        type_ = re.fullmatch(rf"(?i)SLOT_TYPE_(\d+)_{macro}", entry.name)
        if type_ is not None and (text := text_of(topic.config, entry)):
            slots = f" on slots of type {type_[1]}"
            origins = (origin_of(entry.name, entry),)
            found.append(StartdSetting(text, origins, _parsed(text), entry, slots))
    return found


def varying_ranks(topic: Topic) -> list[StartdSetting]:
    """The RANKs that may prefer one job to another."""
    return [
        setting
        for setting in startd_settings(topic.config, "RANK")
        if setting.tree is not None and not topic.conclude("RANK", setting.tree).settled
    ]


def _parsed(text: str) -> Expression | None:
    try:
        return expressions.parse(text)
    except ClassAdParseError:
        return None
