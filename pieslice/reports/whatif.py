"""Says what a configuration in place of the pool's own changes, and what of it is not followed.

Inputs: a ``WhatIf``.  Outputs: blocks of a report, or notes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from attr import evolve, frozen

from classad.errors import Diagnostic
from negotiator.whatif.jobs import (
    ChangedJobs,
    JobsWhatIf,
    Loss,
    LostJobs,
    NewValue,
    UnknownName,
)
from negotiator.whatif.pool import HostMacro, WhatIf
from negotiator.whatif.slots import AdvertisedChange
from pieslice.reports.document import shape, view
from pieslice.reports.layout import Block, Line, Wrapped, plural
from pieslice.reports.names import listed
from policy.explain.changes import OTHER_LOCAL_NAME, ChangedMacro
from policy.publishing import POLICY

#: How many kinds of changed jobs are listed; JSON has all.
_MOST: Final = 8
_LONGEST: Final = 120
#: How many changes of slots are told one by one beside an answer about something else.
_MOST_BESIDE: Final = 3
#: Attributes that each slot has.
_POLICY: Final = frozenset(attribute for attribute, _ in POLICY.values())
_FATES: Final = {
    Loss.REFUSED: "would be refused",
    Loss.HELD: "go on hold",
    Loss.REMOVED: "are removed",
}


@view(
    "machines machines_of=of for=where attributes changed_jobs=jobs.changed lost_jobs=jobs.lost"
    " kept=jobs.kept problems=jobs.problems between not_followed nowhere overridden unknown_names"
    " startds_unknown schedds_unknown slots_without_type=untyped host_macros"
)
class WhatIfData:
    """What a configuration in place of another one changes in slots, jobs and claims.

    ``machines`` of ``machines_of`` have it, by the condition ``for``.  ``changed_jobs`` and
    ``lost_jobs``: jobs that wait, had they been submitted under it; ``kept``: macros whose effects
    on them stay.  ``between``: macros that act between cycles; ``not_followed``: those that a
    snapshot cannot follow; ``nowhere``: those without a part in who gets which slot.
    """

    what_if: WhatIf

    @classmethod
    def of(cls, what_if: WhatIf | None) -> WhatIfData | None:
        """The same; None where nothing is to be said."""
        return None if what_if is None or what_if.is_empty else cls(what_if)

    @property
    def is_partial(self) -> bool:
        """Whether there is more to the configuration than is followed."""
        return self.what_if.is_partial


shape(AdvertisedChange, "*")
shape(ChangedJobs, "values by jobs")
shape(NewValue, "*")
shape(LostJobs, "*")
shape(ChangedMacro, "macro before after why place")
shape(UnknownName, "*")
shape(HostMacro, "*")


@frozen
class _Sentence:
    """A line, and whether it is about what is not as the configuration wants it."""

    text: str
    lacks: bool = False


def blocks(data: WhatIfData | None) -> list[Block]:
    """The lines of a report; none where there is nothing to say."""
    if data is None:
        return []
    found = data.what_if
    lines: list[Block] = [Line("slots and jobs under the configuration", heading=True)]
    lines += [Line(f"  {one.text}", level="bad" if one.lacks else "") for one in _lines(found)]
    if found.nowhere:
        lines.append(Wrapped("differ, without a part in who gets which slot:", found.nowhere, 2))
    return lines


def notes(what_if: WhatIf | None, *, of_cycle: bool = True) -> list[Diagnostic]:
    """The same for commands whose answer is about something else.

    ``of_cycle``: the answer is about one cycle, in which nothing becomes of claims.
    """
    if what_if is None:
        return []
    many = len(what_if.attributes) > _MOST_BESIDE
    kept = evolve(what_if, attributes=() if many else what_if.attributes)
    said = list(_lines(kept if of_cycle else evolve(kept, between=())))
    if many:
        names = listed(dict.fromkeys(change.attribute for change in what_if.attributes))
        said.append(_Sentence(f"slots advertise other values of {names} (`pieslice diff`)"))
    if what_if.nowhere:
        names = ", ".join(what_if.nowhere)
        said.append(_Sentence(f"differ, without a part in who gets which slot: {names}"))
    return [
        Diagnostic(one.text.strip(), severity="warning" if one.lacks else "note") for one in said
    ]


def _lines(what_if: WhatIf) -> Iterator[_Sentence]:
    if what_if.machines < what_if.of:
        which = f"`{what_if.where}`" if what_if.where else "no condition"
        machines = f"{what_if.machines} of {plural(what_if.of, 'machine')}"
        yield _Sentence(f"for {machines}, by {which}", not what_if.machines)
    for change in what_if.attributes:
        yield _Sentence(_attribute(change))
    yield from _jobs(what_if.jobs)
    for name in what_if.unknown_names:
        yield _Sentence(f"{name.reader} reads `{name.name}`, which no {name.of} here has", True)
    for one in what_if.host_macros:
        taken = f"which is taken to be `{one.taken}` on all of them"
        yield _Sentence(f"{one.reader} reads $({one.name}) of each machine, {taken}", True)
    if what_if.schedds_unknown:
        yield _Sentence(
            "the pool's own configuration says nothing of submissions: jobs may have been through"
            " the transforms already"
        )
    if what_if.untyped:
        slots = plural(what_if.untyped, "slot")
        yield _Sentence(
            f"{slots} without SlotTypeID: what is set for slot types is not applied", True
        )
    if what_if.startds_unknown:
        yield _Sentence(
            "the pool's own configuration says nothing of startds: what the new one does not set"
            " stays as it is advertised"
        )
    for macro in what_if.between:
        yield _Sentence(f"acts between cycles, as `simulate` and --cycles show: {_macro(macro)}")
    for macro in what_if.overridden:
        yield _Sentence(f"changes no slot: {_macro(macro)}: {macro.why}", True)
    for macro in what_if.not_followed:
        if macro.why != OTHER_LOCAL_NAME:
            yield _Sentence(f"not applied: {_macro(macro)}: {macro.why}", True)
    others = [one.macro for one in what_if.not_followed if one.why == OTHER_LOCAL_NAME]
    if others:
        names = listed(dict.fromkeys(name.partition(".")[0] for name in others))
        count = plural(len(others), "macro")
        yield _Sentence(f"not applied: {count} of daemons with the local names {names}", True)


def _attribute(change: AdvertisedChange) -> str:
    texts = [text or "none" for text in change.before]
    before = _short(texts[0]) if len(texts) == 1 else f"{len(texts)} texts"
    after = "none" if change.after is None else _short(change.after)
    if change.after in (None, "error") and change.attribute in _POLICY:
        after += f", as {change.macro} does not parse"
    where = f"{plural(change.slots, 'slot')} of {plural(change.machines, 'machine')}"
    return f"{change.attribute} of {where}: {before} -> {after}"


def _jobs(jobs_what_if: JobsWhatIf) -> Iterator[_Sentence]:
    if jobs_what_if.changed:
        count = sum(len(one.jobs) for one in jobs_what_if.changed)
        yield _Sentence(f"{plural(count, 'waiting job')}, had they been submitted under it:")
    for one in jobs_what_if.changed[:_MOST]:
        values = ", ".join(f"{value.attribute} = {_after(value)}" for value in one.values)
        by = f" by {', '.join(one.by)}" if one.by else ""
        yield _Sentence(f"  {_named(one.jobs)}: {_short(values)}{by}")
    if len(jobs_what_if.changed) > _MOST:
        rest = jobs_what_if.changed[_MOST:]
        jobs = plural(sum(len(one.jobs) for one in rest), "job")
        yield _Sentence(f"  and {jobs} in {len(rest)} more ways")
    for lost in jobs_what_if.lost:
        place = f" [{lost.place}]" if lost.place else ""
        yield _Sentence(f"{_named(lost.jobs)} {_FATES[lost.fate]}: {lost.why}{place}", True)
    for macro in jobs_what_if.kept:
        yield _Sentence(f"what {macro} of the configuration before did to jobs stays", True)
    for problem in jobs_what_if.problems:
        yield _Sentence(problem.message, True)


def _after(value: NewValue) -> str:
    return "none" if value.after is None else value.after


def _named(jobs: Sequence[str]) -> str:
    return f"{plural(len(jobs), 'job')} ({listed(jobs)})"


def _macro(one: ChangedMacro) -> str:
    before, after = (
        "not set" if text is None else _short(text) or "nothing" for text in (one.before, one.after)
    )
    return f"{one.macro}: {before} -> {after}"


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
