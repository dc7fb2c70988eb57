"""Reads a pool in the order that makes a prediction of its next cycle true.

First what changes least: the configurations, the jobs, the claims of the schedds; last slots and
submitters, in one query of ads of any type, which the collector answers in the order in which the
negotiator sees them.  Accounting records come from the negotiator, all of them with the time from
which priorities age; the collector has copies of those of active submitters as of the last cycle.

Inputs: the daemons of a pool.  Outputs: ``LiveCapture``; raises ``DaemonError`` where the collector
does not answer.  Daemons that do not answer besides are noted in the manifest.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from attr import define, field, frozen

from classad import ClassAd
from classad.files.ads import read_long
from classad.formats.long import format_long
from negotiator.capture.files import AS_IT_CAME
from pieslice.command_line import installed_version
from pieslice.data import JsonData
from pieslice.live.capture import LiveCapture
from pieslice.live.configuration import TIMES, Configuration, DaemonMacros, read_configuration
from pieslice.live.daemons import DaemonError, Daemons, Located, Reply
from pieslice.live.names import CLAIM, CYCLE, DAEMON, WantedAttributes
from policy.language.numbers import saturated

#: ``MyType`` of the ads that the collector is asked for, and where they go.
_TYPES: Final = {
    "Machine": "slots",
    "Submitter": "submitters",
    "Scheduler": "schedds",
    "Negotiator": "negotiator",
    "Accounting": "accounting",
}
#: What an accounting record is of no use without; HTCondor's tools print it only of copies.
_USAGE: Final = ("ResourcesUsed", "WeightedResourcesUsed")
#: Seconds after its start in which a schedd was seen to answer that it has no more jobs though it
#: has: it makes its list of them anew, and looks for those that ran.
_STARTING: Final = 60.0
#: How often a pool is read until its expressions mention nothing new.
_ROUNDS: Final = 4


def _of_types(*types: str) -> str:
    return " || ".join(f'MyType == "{name}"' for name in types)


@define
class Memory:
    """What stays known from one capture of a pool to the next.

    ``negotiator``: where it was; a collector that has been restarted has no ad of it for minutes.
    """

    wanted: WantedAttributes = field(factory=WantedAttributes)
    macros: DaemonMacros = field(factory=DaemonMacros)
    negotiator: Located | None = None


@frozen(eq=False)
class PoolDaemons:
    """The daemons of a pool: its negotiator and the schedds that have jobs for it."""

    negotiator: Located | None
    schedds: tuple[Located, ...]
    versions: Mapping[str, str]


@define(eq=False)
class _Course:
    """What has been read so far, what is missing, and what of that for want of an answer."""

    parts: dict[str, JsonData] = field(factory=dict)
    missing: list[str] = field(factory=list)
    unanswered: list[str] = field(factory=list)
    #: How many schedds told their jobs, and those that are not asked again.
    answered: int = 0
    silent: set[str] = field(factory=set)

    def lacks(self, what: str, problem: DaemonError) -> None:
        """Note what a daemon did not tell."""
        self.missing.append(f"{what}: {problem}")
        self.unanswered.append(f"{what}: {problem}")

    def note(self, part: str, reply: Reply) -> None:
        """Count an answer to a part."""
        kept = self.parts.setdefault(part, {"queries": 0, "bytes": 0, "seconds": 0.0})
        kept["queries"] += 1
        kept["bytes"] += reply.size
        kept["seconds"] = round(kept["seconds"] + reply.seconds, 6)
        kept["at"] = round(reply.at, 3)


def find_daemons(daemons: Daemons, memory: Memory) -> PoolDaemons:
    """The daemons whose ads the collector has, or had; raises ``DaemonError``."""
    reply = daemons.ads(_of_types("Negotiator", "Scheduler", "Submitter"), DAEMON)
    ads = [_strings(ad) for ad in _parsed(reply.text)]
    told = next((ad for ad in ads if ad.get("MyType") == "Negotiator"), None)
    negotiator = memory.negotiator = told or memory.negotiator
    known = {ad["Name"]: ad for ad in ads if ad.get("MyType") == "Scheduler" and "Name" in ad}
    schedds: dict[str, Located] = {}
    for ad in ads:
        name = ad.get("ScheddName")
        if ad.get("MyType") == "Submitter" and name is not None:
            # A schedd that flocks has no ad of its own here, but its submitters tell where it is.
            here = {"MyType": "Scheduler", "Name": name, "MyAddress": ad.get("ScheddIpAddr", "")}
            schedds.setdefault(name, known.get(name, here))
    found = [*schedds.values(), *([] if negotiator is None else [negotiator])]
    versions = {ad["Name"]: ad.get("CondorVersion", "") for ad in found}
    return PoolDaemons(negotiator, tuple(schedds.values()), versions)


def take(daemons: Daemons, memory: Memory) -> LiveCapture:
    """Read a pool; see the module."""
    began = time.time()
    course = _Course()
    pool = daemons.hello()
    found = find_daemons(daemons, memory)
    before = _last_cycle(daemons, found, course)
    config = read_configuration(daemons, memory.macros, found.negotiator, found.schedds)
    course.missing += config.missing
    course.unanswered += config.silent
    for name in sorted(config.slow):
        course.missing.append(f"jobs: {name}: not asked, as it had not answered")
        course.silent.add(name)
    memory.wanted.learn((*config.macros.values(), *config.of_schedds))
    texts = _read_all(daemons, found, memory.wanted, course)
    texts["accounting"] = _accounting(daemons, found, texts.get("accounting", ""), course)
    cycle = _last_cycle(daemons, found, course)
    if not texts.get("slots"):
        course.missing.append("slots: the collector has no ad of a slot")
    manifest = {
        "format": 1,
        "pool": pool.get("pool", ""),
        "began": round(began, 3),
        "ended": round(time.time(), 3),
        "order": AS_IT_CAME if daemons.ordered else "sorted",
        "schedds": len(found.schedds),
        "answered": course.answered,
        "cycle": {
            **(cycle or {}),
            **_times(config),
            "steady": before == cycle,
            "told": cycle is not None,
        },
        "parts": course.parts,
        "missing": list(dict.fromkeys(course.missing)),
        "silent": list(dict.fromkeys(course.unanswered)),
        "uncertain": restarted(_parsed(texts.get("schedds", "")), before or {}, began),
        "asked": sorted(memory.wanted.of_jobs()),
        "versions": {
            **found.versions,
            "pieslice": installed_version(),
            "asked by": pool.get("bindings", ""),
        },
    }
    for part, text in texts.items():
        course.parts.setdefault(part, {})["ads"] = len(_blocks(text))
    return LiveCapture(texts, config.text, manifest)


def restarted(schedds: Iterable[ClassAd], cycle: JsonData, now: float) -> list[str]:
    """Schedds that have started just now, or since the last cycle: they may offer no jobs."""
    since = min(float(cycle.get("time", now)), now - _STARTING)
    return [
        f"schedd {ad.get_string('Name')} has started just now, and may offer fewer jobs than it has"
        for ad in schedds
        if (ad.get_number("DaemonStartTime") or 0) >= since
    ]


def last_cycle(daemons: Daemons, negotiator: Located) -> JsonData:
    """How the last cycle of a negotiator went, by itself; raises ``DaemonError``."""
    ad = next(iter(_parsed(daemons.direct(negotiator, CYCLE).text)), ClassAd())
    values = {name[20:-1].lower(): ad.get_number(name) for name in CYCLE}
    return {name: value for name, value in values.items() if value is not None}


def _last_cycle(daemons: Daemons, pool_daemons: PoolDaemons, course: _Course) -> JsonData | None:
    """The same; None, with a note, if it does not say."""
    if pool_daemons.negotiator is None:
        return None
    try:
        return last_cycle(daemons, pool_daemons.negotiator)
    except DaemonError as problem:
        course.lacks("last cycle", problem)
        return None


def _times(config: Configuration) -> JsonData:
    """The macros that say when the next cycle is due."""
    return {
        name.lower().removeprefix("negotiator_"): saturated(text)
        for name in TIMES
        if (text := config.macros.get(name, "")).isdecimal()
    }


# --- the parts ------------------------------------------------------------------------------------


def _read_all(
    daemons: Daemons, pool_daemons: PoolDaemons, wanted: WantedAttributes, course: _Course
) -> dict[str, str]:
    """Jobs, claims and what the collector has, until no expression mentions anything new."""
    for _ in range(_ROUNDS):
        course.answered = 0
        texts = _of_schedds(daemons, pool_daemons.schedds, wanted, course)
        reply = daemons.ads(_of_types(*_TYPES), wanted.of_collector())
        course.note("slots", reply)
        texts |= _by_type(reply.text)
        new = [wanted.learn_ads(texts.get(part, "")) for part in ("slots", "jobs")]
        if not any(new):
            break
    return texts


def _of_schedds(
    daemons: Daemons, schedds: Sequence[Located], wanted: WantedAttributes, course: _Course
) -> dict[str, str]:
    jobs: list[str] = []
    claims: list[str] = []
    names = wanted.of_jobs()

    def ask(daemons: Daemons, schedd: Located) -> tuple[Reply | DaemonError, ...]:
        """The jobs of a schedd, then its claims."""
        found: list[Reply | DaemonError] = []
        try:
            found.append(daemons.jobs(schedd, names))
            found.append(daemons.claims(schedd, CLAIM))
        except DaemonError as problem:
            found.append(problem)
        return tuple(found)

    asked = [schedd for schedd in schedds if schedd["Name"] not in course.silent]
    for schedd, replies in zip(asked, daemons.each(asked, ask), strict=True):
        for part, reply in zip(("jobs", "claims"), replies, strict=False):
            if isinstance(reply, DaemonError):
                course.lacks(part, reply)
                if part == "jobs":
                    course.silent.add(schedd["Name"])
                continue
            course.note(part, reply)
            if part == "jobs":
                course.answered += 1
                jobs += _blocks(reply.text)
            else:
                of = f'ScheddName = "{schedd["Name"]}"\n'
                claims += [f"{block}{of}" for block in _blocks(reply.text)]
    return {"jobs": "\n".join(jobs), "claims": "\n".join(claims)}


def _by_type(text: str) -> dict[str, str]:
    """The ads of the collector by parts, each in the order in which they came."""
    found: dict[str, list[str]] = {part: [] for part in _TYPES.values()}
    for block in _blocks(text):
        for type_, part in _TYPES.items():
            if f'MyType = "{type_}"\n' in block:
                found[part].append(block)
                break
    return {part: "\n".join(blocks) for part, blocks in found.items()}


def _accounting(daemons: Daemons, pool_daemons: PoolDaemons, text: str, course: _Course) -> str:
    """The negotiator's records; the collector's copies of them where it does not answer."""
    if pool_daemons.negotiator is None:
        return text
    try:
        reply = daemons.priorities(pool_daemons.negotiator)
    except DaemonError as problem:
        course.lacks("accounting records as they are now", problem)
        return text
    course.note("accounting", reply)
    copies: dict[str | None, ClassAd] = {}
    for ad in _parsed(text):
        # Another negotiator has records of its own, of the same submitters.
        if ad.get_string("NegotiatorName") in (None, pool_daemons.negotiator.get("Name")):
            copies.setdefault(ad.get_string("Name"), ad)
    ads = list(_parsed(reply.text))
    if not ads:
        return text
    for ad in ads:
        copy = copies.get(ad.get_string("Name"))
        if copy is not None:
            _complete(ad, copy)
    kept = (ad for ad in ads if ad.get_string("Name") != "<none>" or "<none>" in copies)
    return "\n".join(format_long(ad, quoted=False) for ad in kept)


def _complete(record: ClassAd, copy: ClassAd) -> None:
    """Add what only the collector's copy of a record has, if it is as old as the record.

    Of a group the negotiator shows no factor.
    """
    factor = copy.raw("PriorityFactor")
    if (record.get_number("PriorityFactor") or 0) <= 0 and factor is not None:
        record.insert("PriorityFactor", factor)
    update = record.get_number("LastUpdate")
    same = update is None or update == copy.get_number("LastUpdate")
    for name in copy.names() if same else _USAGE:
        value = copy.raw(name)
        if record.raw(name) is None and value is not None:
            record.insert(name, value)


def _parsed(text: str) -> Iterable[ClassAd]:
    return read_long(text.splitlines(keepends=True), "answer", [])


def _blocks(text: str) -> list[str]:
    """The texts of ads in long form, each with the end of its last line."""
    return [f"{block}\n" for block in text.strip("\n").split("\n\n") if block]


def _strings(ad: ClassAd) -> dict[str, str]:
    """What an ad says, as texts."""
    return {name: str(ad.evaluate_attr(name)) for name in ad.names()}
