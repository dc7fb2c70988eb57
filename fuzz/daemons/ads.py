"""Expands the entries of a scenario to the ads that the daemons are given.

Unlike ``negotiator.scenario.expand`` it keeps the order of the attributes and what only a daemon
needs: addresses, private attributes, claim ids.

Inputs: entries of a scenario.  Outputs: ``Slot`` and ``Job`` values in the order of the entries.
Follows: the README beside the recorded negotiation scenarios.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from attr import evolve, frozen

from fuzz.daemons.system import DaemonError
from negotiator.scenario.expand import BASE_JOB, BASE_SLOT, domain_of, job_places
from pieslice.data import Record

#: When everything was submitted: a time that no rule depends on.
LONG_AGO: Final = 1700000000


def quoted(text: object) -> str:
    """A string literal of the language."""
    escaped = str(text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


@frozen
class Slot:
    """A slot; ``claims``: how many claim ids its private ad has; ``private``: what else it has."""

    name: str
    ad: Mapping[str, str]
    claims: int = 1
    private: Mapping[str, str] | None = None

    @property
    def plain(self) -> bool:
        """Whether ``condor_advertise`` can send it with its private ad."""
        return self.claims == 1 and self.private is None


@frozen(eq=False)
class Job:
    """A job; ``submitter`` is without the domain, which is that of its schedd."""

    schedd: str
    cluster: int
    proc: int
    owner: str
    submitter: str
    ad: Mapping[str, str]
    domain: str = "test"

    @property
    def user(self) -> str:
        """The submitter with the domain."""
        return f"{self.submitter}@{self.domain}"

    @property
    def id(self) -> str:
        """``cluster.proc``."""
        return f"{self.cluster}.{self.proc}"


def merge(*parts: Mapping[str, str | None] | None) -> dict[str, str]:
    """Later attributes win, without case; None removes one.

    An attribute that is spelled otherwise than before moves to the end.
    """
    merged: dict[str, str] = {}
    spelled: dict[str, str] = {}
    for part in parts:
        for name, text in (part or {}).items():
            before = spelled.get(name.lower(), name)
            if before != name:
                merged.pop(before, None)
            spelled[name.lower()] = name
            if text is None:
                merged.pop(name, None)
            else:
                merged[name] = text
    return merged


def filled(text: str, **numbers: int) -> str:
    """A text with numbers in place of ``{name}``."""
    for name, number in numbers.items():
        text = text.replace(f"{{{name}}}", str(number))
    return text


def expand_slots(
    entries: Sequence[Record], defaults: Mapping[str, str | None] | None, address: str
) -> list[Slot]:
    """The slots of the entries, all at one address."""
    slots: list[Slot] = []
    for entry in entries:
        for i in range(entry.get("count", 1)):
            number = entry.get("first", 1) + i
            name = filled(entry["name"], i=number)
            ad = merge(BASE_SLOT, defaults, entry.get("ad"))
            machine = name.split("@", 1)[1] if "@" in name else name
            head = {"Name": quoted(name), "Machine": quoted(machine)}
            where = {"MyAddress": quoted(address), "StartdIpAddr": quoted(address)}
            ad = merge(head, where, {key: filled(text, i=number) for key, text in ad.items()})
            slots.append(Slot(name, ad, entry.get("claims", 1), entry.get("private")))
    if len({slot.name for slot in slots}) != len(slots):
        raise DaemonError("two slots have the same name")
    return slots


def replaced(slots: Sequence[Slot], added: Sequence[Slot]) -> list[Slot]:
    """Slots without those that are added under the same name, and the added ones.

    A slot keeps its private ad where what replaces it says nothing of one.
    """
    before = {slot.name: slot for slot in slots}
    names = {slot.name for slot in added}
    kept = []
    for slot in added:
        old = before.get(slot.name)
        if old is not None and slot.claims == 1:
            slot = evolve(slot, claims=old.claims)
        if old is not None and slot.private is None:
            slot = evolve(slot, private=old.private)
        kept.append(slot)
    return [slot for slot in slots if slot.name not in names] + kept


def expand_jobs(scenario: Record, entries: Sequence[Record]) -> list[Job]:
    """The jobs of the entries in the order of the queue; defaults are those of the scenario."""
    defaults = scenario.get("job_defaults")
    jobs: list[Job] = []
    for entry, schedd, cluster, numbers in job_places(entries):
        submitter = entry["submitter"]
        owner = entry.get("owner") or submitter.rsplit(".", 1)[-1]
        for number in numbers:
            ad = merge(BASE_JOB, defaults, entry.get("ad"))
            ad = {key: filled(text, i=number, c=cluster) for key, text in ad.items()}
            if submitter != owner:
                ad = merge({"AccountingGroup": quoted(submitter)}, ad)
            domain = domain_of(scenario, schedd)
            jobs.append(Job(schedd, cluster, number, owner, submitter, ad, domain))
    return jobs


def schedds_of(jobs: Sequence[Job]) -> list[str]:
    """The schedds of jobs, in order of their first job."""
    return list(dict.fromkeys(job.schedd for job in jobs))
