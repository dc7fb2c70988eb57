"""Decides which attributes of ads are asked for, so that no others leave the daemons.

Temporary folders carry the number of their process, so that the next one removes those of
processes that are no more.

A capture has what a cycle reads in any pool, and what the expressions of its policy, its slots and
its jobs mention; environments, arguments and paths stay where they are unless a policy reads them.
The collector adds what is mentioned in the same ad, the schedd does not.

Inputs: ads in long form, texts of macros.  Outputs: names of attributes.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from attr import define, field

from classad.analysis.mentions import refs
from classad.errors import ClassAdParseError
from classad.evaluate import as_tree
from classad.language.names import fold_name
from classad.patterns import late_regex
from classad.syntax.lexing import literal_value
from classad.syntax.nodes import Reference, walk
from negotiator.jobs.endings import ENDING_ATTRIBUTES
from pieslice.live.asking import is_secret

_PREFIX: Final = "pieslice-"
_NAME: Final = late_regex(rf"{_PREFIX}[a-z]+-(\d+)-\w+")


def temporary(kind: str) -> tempfile.TemporaryDirectory[str]:
    """A folder that nobody else can read."""
    _tidy(Path(tempfile.gettempdir()))
    return tempfile.TemporaryDirectory(prefix=f"{_PREFIX}{kind}-{os.getpid()}-")


def _tidy(place: Path) -> None:
    for path in place.glob(f"{_PREFIX}*"):
        found = _NAME.fullmatch(path.name)
        if found is not None and not _alive(int(found[1])):
            # Somebody else's cannot be removed, and need not be.
            shutil.rmtree(path, ignore_errors=True)


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


#: What finds a daemon, and says whether what is known of it still holds.
DAEMON: Final = (
    *("MyType", "Name", "Machine", "MyAddress", "ScheddName", "ScheddIpAddr", "CondorVersion"),
    *("DaemonStartTime", "DaemonLastReconfigTime", "MyCurrentTime", "LastHeardFrom"),
)
#: How the last cycle of a negotiator went.
CYCLE: Final = tuple(
    f"LastNegotiationCycle{what}0"
    for what in ("Time", "End", "Matches", "Rejections", "NumIdleJobs", "TotalSlots")
)
_SLOT: Final = (
    *("Name", "MyType", "Machine", "MyAddress", "StartdIpAddr", "State", "Activity"),
    *("EnteredCurrentState", "EnteredCurrentActivity", "MyCurrentTime", "LastHeardFrom"),
    *("Requirements", "Start", "Rank", "CurrentRank", "SlotWeight", "Cpus", "Memory", "Disk"),
    *("GPUs", "TotalCpus", "TotalMemory", "TotalSlotCpus", "TotalSlotMemory", "TotalSlots"),
    *("MachineResources", "SlotType", "SlotTypeID", "SlotID", "DSlotId", "ParentSlotId"),
    *("BackfillSlot", "ResourceConflict", "TotalGPUs", "TotalSlotGPUs", "TotalSlotDisk"),
    *("PartitionableSlot", "DynamicSlot", "NumDynamicSlots", "PslotRollupInformation"),
    *("WantPslotPreemption", "WantAdRevaluate", "Offline", "Absent", "MachineLastMatchTime"),
    *("RemoteUser", "RemoteOwner", "Owner", "AccountingGroup", "RemoteGroup", "RemoteAutoregroup"),
    *("RemoteNegotiatingGroup", "RemoteScheddName", "ScheddName", "JobId", "GlobalJobId"),
    *("NiceUser", "ConcurrencyLimits", "MatchedConcurrencyLimits", "PreemptingUser"),
    *("PreemptingOwner", "PreemptingRank", "PreemptingAccountingGroup", "PreemptingGroup"),
    *("PreemptingConcurrencyLimits", "TotalJobRunTime", "TotalClaimRunTime", "JobStart"),
    *("RetirementTimeRemaining", "MaxJobRetirementTime", "Draining", "AcceptedWhileDraining"),
    *("ClaimEndTime", "Arch", "OpSys", "OpSysAndVer", "CondorVersion", "Mips", "KFlops"),
    *("ChildName", "ChildRemoteUser", "ChildRemoteOwner", "ChildAccountingGroup", "ChildState"),
    *("ChildActivity", "ChildCpus", "ChildMemory", "ChildDisk", "ChildGPUs", "ChildCurrentRank"),
    *("ChildDSlotId", "ChildEnteredCurrentState", "ChildRetirementTimeRemaining"),
    *("ConsumptionPolicy", "ConsumptionCpus", "ConsumptionMemory", "ConsumptionDisk"),
    "DedicatedScheduler",
)
_SUBMITTER: Final = (
    *("IdleJobs", "RunningJobs", "WeightedIdleJobs", "WeightedRunningJobs", "HeldJobs"),
    *("JobPrioArray", "SubmitterTag", "FlockedJobs", "WantResAd", "SkipMatchmaking"),
    *("WantMatchDiagnostics", "SubmitterAutoregroup", "SubmitterNegotiatingGroup"),
)
#: What decides whether a schedd starts jobs on its own machine, besides its limit of others.
_SCHEDD: Final = (
    *("MaxJobsRunning", "MaxRunningSchedulerJobsPerOwner", "StartSchedulerUniverse"),
    *("StartLocalUniverse", "TotalSchedulerJobsRunning", "TotalLocalJobsRunning"),
    *("TotalSchedulerJobsIdle", "TotalLocalJobsIdle", "DetectedCpus", "DetectedMemory"),
    "CondorPlatform",
)
_ACCOUNTING: Final = (
    *("Priority", "PriorityFactor", "LastUpdate", "LastUsageTime", "BeginUsageTime"),
    *("ResourcesUsed", "WeightedResourcesUsed", "HierWeightedResourcesUsed", "AccumulatedUsage"),
    *("WeightedAccumulatedUsage", "UnchargedTime", "WeightedUnchargedTime", "AccountingGroup"),
    *("IsAccountingGroup", "ConfigQuota", "EffectiveQuota", "SubtreeQuota", "GroupSortKey"),
    *("SurplusPolicy", "Requested", "SubmitterShare", "SubmitterLimit", "NegotiatorName"),
    *("CeilingLeaseExpiration", "CeilingPreLeaseValue", "FloorLeaseExpiration"),
    *("FloorPreLeaseValue", "PriorityFactorLeaseExpiration", "PriorityFactorPreLeaseValue"),
    *("Ceiling", "Floor"),
)
#: What the collector is asked for in any pool.
COLLECTOR: Final = tuple(
    dict.fromkeys((*DAEMON, *CYCLE, *_SLOT, *_SUBMITTER, *_ACCOUNTING, *_SCHEDD))
)
#: What a schedd is asked for in any pool.
JOB: Final = (
    *("ClusterId", "ProcId", "GlobalJobId", "MyType", "JobStatus", "JobUniverse", "User", "Owner"),
    *("AccountingGroup", "AcctGroup", "AcctGroupUser", "NiceUser", "QDate", "ServerTime"),
    *("PreJobPrio1", "PreJobPrio2", "JobPrio", "PostJobPrio1", "PostJobPrio2", "MaxHosts"),
    *("CurrentHosts", "MinHosts", "WantMatching", "IsNoopJob", "JobCooldownExpiration"),
    *("Requirements", "Rank", "RequestCpus", "RequestMemory", "RequestDisk", "RequestGPUs"),
    *("ConcurrencyLimits", "AutoClusterId", "AutoClusterAttrs", "RemoteHost", "NumJobStarts"),
    *("Managed", "ManagedManager", "Scheduler", "GridResource"),
    *("NumJobMatches", "LastMatchTime", "LastRejMatchTime", "LastRejMatchReason"),
    *("JobStartDate", "JobCurrentStartDate", "EnteredCurrentStatus", "RemoteWallClockTime"),
    *("CompletionDate", "FlockTo", "HoldReasonCode", "MaxJobRetirementTime", "KeepClaimIdle"),
    *ENDING_ATTRIBUTES,
)
#: Texts of expressions that are remembered, of pools that go on for days.
_KEPT: Final = 100_000
_SIGNIFICANT: Final = late_regex(r'^AutoClusterAttrs = "([^"]*)"', re.MULTILINE)
#: Of a claim: its slot, whose it is, and the first job of the request that it answers.
CLAIM: Final = (
    *("Name", "State", "Activity", "RemoteUser", "AccountingGroup", "EnteredCurrentState"),
    *("_condor_RESOURCE_CLUSTER", "_condor_RESOURCE_PROC"),
)


@define(eq=False)
class WantedAttributes:
    """The attributes that a pool's captures need; they become more as expressions are seen.

    ``everything``: ask for all attributes of slots, and for jobs as before.
    """

    everything: bool = False
    _mentioned: dict[str, str] = field(factory=dict)
    #: The texts of expressions that have been looked at.
    _seen: set[str] = field(factory=set)

    def learn(self, texts: Iterable[str]) -> bool:
        """Take note of what expressions mention; whether there was anything new in them."""
        before = len(self._mentioned)
        if len(self._seen) > _KEPT:
            self._seen.clear()
        for text in texts:
            if text not in self._seen:
                self._seen.add(text)
                self._mention(names_in(text))
        return len(self._mentioned) > before

    def learn_ads(self, text: str) -> bool:
        """The same of all expressions of ads in long form."""
        before = len(self._mentioned)
        self._mention(significant_names(text))
        return self.learn(expressions(text)) or len(self._mentioned) > before

    def of_collector(self) -> list[str]:
        """The attributes to ask the collector for; none means all."""
        return [] if self.everything else self._all(COLLECTOR)

    def of_jobs(self) -> list[str]:
        """The attributes to ask schedds for."""
        return self._all(JOB)

    def _all(self, always: Iterable[str]) -> list[str]:
        found = {fold_name(name): name for name in always}
        return list({**self._mentioned, **found}.values())

    def _mention(self, names: Iterable[str]) -> None:
        for name in names:
            if not is_secret(name):
                self._mentioned.setdefault(fold_name(name), name)


def names_in(text: str) -> Iterator[str]:
    """The attributes that an expression mentions; none of one that does not parse.

    Also those of ads that it names, as START_VANILLA_UNIVERSE does with ``JOB`` and ``SLOT``.
    """
    try:
        tree = as_tree(text).node
    except ClassAdParseError:
        return
    found = refs(tree)
    for names in (found.my, found.target, found.unscoped):
        yield from names
    for node in walk(tree):
        if isinstance(node, Reference) and isinstance(node.base, Reference):
            yield node.name


def expressions(text: str) -> Iterator[str]:
    """The values of ads in long form that are no plain values."""
    for line in text.splitlines():
        _, equals, value = line.partition(" = ")
        if equals and literal_value(value) is None:
            yield value


def significant_names(text: str) -> set[str]:
    """The attributes by which schedds tell jobs apart, from a note of theirs in each job."""
    found = set(_SIGNIFICANT.findall(text))
    return {name for names in found for name in names.split(",") if name.isidentifier()}
