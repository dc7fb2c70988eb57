"""Declares the policy expressions that daemons other than the negotiator read.

They are no knobs of a negotiation cycle, so ``find_knob`` does not know them; checks, comparisons
and explanations do.  One with a text in ``doc`` belongs to what administrators call the policy.
Follows: the policy chapters of the manual; ``broken``: asked of the startd and schedd of 25.14.1,
with a job that waits for the slot.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from policy.knobs.declaration import Knob, KnobKind, Need, Use, Wanted

#: Daemons and tools whose names may stand before the dot of a macro.
DAEMONS: Final = frozenset(
    (
        *("MASTER", "COLLECTOR", "NEGOTIATOR", "SCHEDD", "STARTD", "STARTER", "SHADOW", "TOOL"),
        *("SUBMIT", "JOB_ROUTER", "GRIDMANAGER", "CREDD", "KBDD", "HAD", "REPLICATION", "GAHP"),
        *("DEFRAG", "SHARED_PORT", "TRANSFERER", "C_GAHP", "ROOSTER", "GANGLIAD", "DAGMAN"),
    )
)


_OF_JOBS: Final = Use("job", "", Wanted.CONDITION)
_OF_SUBMISSIONS: Final = Use("schedd", "job", Wanted.CONDITION)


def _startd(
    name: str,
    doc: str = "",
    wanted: Wanted = Wanted.CONDITION,
    without: str | None = "without it",
) -> Knob:
    """``without``: how the startd goes on if it does not parse; None: it ends."""
    use = Use("slot", "job", wanted)
    broken = f"condor_startd logs `Invalid expression` and goes on, {without}" if without else ""
    return Knob(
        name, KnobKind.EXPR, None, doc,
        need=Need.IRRELEVANT, read_by="STARTD", use=use, broken=broken,
    )  # fmt: skip


def _schedd(
    name: str, doc: str = "", use: Use | None = _OF_JOBS, without: str = "no job fulfils it"
) -> Knob:
    broken = f"condor_schedd goes on in silence: {without}"
    return Knob(
        name, KnobKind.EXPR, None, doc,
        need=Need.IRRELEVANT, read_by="SCHEDD", use=use, broken=broken,
    )  # fmt: skip


def _start(universe: str) -> Knob:
    """What jobs of a universe that run beside the schedd wait for."""
    jobs = f"Total{universe.capitalize()}JobsRunning"
    least = {"LOCAL": 200, "SCHEDULER": 500}[universe]
    return Knob(
        f"START_{universe}_UNIVERSE", KnobKind.EXPR, None, "",
        need=Need.IRRELEVANT, read_by="SCHEDD",
        broken=f"condor_schedd logs `Using default expression`: it goes on with {jobs} < {least}",
    )  # fmt: skip


_ALL: Final = (
    _startd("START", "Decides which jobs a slot accepts", without="but takes no jobs"),
    _startd(
        "RANK",
        "Ranks jobs at a startd, greatest first; a greater one may preempt",
        Wanted.NUMBER,
        without="with Rank 0 for every job",
    ),
    _startd("PREEMPT", "Decides when a startd ends a job of its own accord"),
    _startd("KILL", "Decides when a startd kills a job that is being preempted"),
    _startd("SUSPEND", "Decides when a startd suspends a job"),
    _startd("CONTINUE", "Decides when a startd continues a suspended job"),
    _startd("WANT_SUSPEND", "Decides whether a startd suspends before it preempts"),
    _startd("WANT_VACATE", "Decides whether a startd vacates before it kills"),
    _startd("WANT_HOLD", "Decides whether a preempted job goes on hold"),
    _startd(
        "MAXJOBRETIREMENTTIME",
        "Limits how long a preempted job may run on, in seconds",
        Wanted.NUMBER,
    ),
    # The startd reads IsOwner and CpuBusy first, and IS_OWNER and cpu_busy only without those.
    _startd("IsOwner", without=None),
    _startd("IS_OWNER", without=None),
    _startd("CpuBusy"),
    _startd("CPU_BUSY"),
    _startd("CLAIM_WORKLIFE", wanted=Wanted.NUMBER),
    _startd("MACHINEMAXVACATETIME", wanted=Wanted.NUMBER, without=None),
    _schedd("SYSTEM_PERIODIC_HOLD", "Holds jobs that it is true for"),
    _schedd("SYSTEM_PERIODIC_REMOVE", "Removes jobs that it is true for"),
    _schedd("SYSTEM_PERIODIC_RELEASE", "Releases held jobs that it is true for"),
    _schedd("SYSTEM_PERIODIC_VACATE"),
    _schedd(
        "SYSTEM_ON_VACATE_COOL_DOWN",
        use=Use("job", "", Wanted.NUMBER),
        without="no job cools down",
    ),
    _start("LOCAL"),
    _start("SCHEDULER"),
)
#: By case-folded name.
OTHER_KNOBS: Final = {knob.name.casefold(): knob for knob in _ALL}

#: Expressions whose names have a variable part, which a list names.
OTHER_FAMILIES: Final = (
    *(
        _schedd(f"SYSTEM_PERIODIC_{verb}_<name>", without="no job fulfils it")
        for verb in ("HOLD", "REMOVE", "RELEASE", "VACATE")
    ),
    Knob(
        "SUBMIT_REQUIREMENT_<name>", KnobKind.EXPR, None, "",
        need=Need.IRRELEVANT, read_by="SCHEDD", use=_OF_SUBMISSIONS,
        broken="condor_schedd logs that it cannot parse it and does not ask for it",
    ),
)  # fmt: skip
_BEGINS: Final = tuple(one.around[0] for one in OTHER_FAMILIES)
#: Ends of names that belong to such an expression and are none.
_ASIDE: Final = ("_names", "_reason", "_subcode", "_is_warning")


@lru_cache(maxsize=10_000)
def find_other(macro: str) -> Knob | None:
    """The declaration of an expression of another daemon."""
    folded = macro.casefold()
    found = OTHER_KNOBS.get(folded)
    if found is not None or not folded.startswith(_BEGINS) or folded.endswith(_ASIDE):
        return found
    return next((one for one in OTHER_FAMILIES if one.member(macro) is not None), None)
