"""Proposes edits of a policy that are worth a try in a pool.

Decides by what the cycle did: what it refused a request for, whom it took slots from, which groups
ask for more than they have.  Whether an edit changes anything only a cycle tells.

Inputs: a policy, the result of a cycle with it.  Outputs: ``Suggestion``, the likeliest first.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from attr import frozen

from negotiator.model.result import CycleResult, GroupSummary, MatchKind, Reason, TrimCause
from policy.model import NegotiatorPolicy

#: Groups whose quotas are tried.
_GROUPS: Final = 2


@frozen
class Suggestion:
    """A line of a configuration; of those about one ``subject`` one is enough."""

    subject: str
    line: str


def suggestions(policy: NegotiatorPolicy, result: CycleResult) -> Iterator[Suggestion]:
    """Edits of a policy; none where nobody asks for a slot."""
    if not result.matches and not result.rejections:
        return
    reasons = {one.reason for one in result.rejections}
    taken = any(one.kind is not MatchKind.NONE for one in result.matches)
    passed_over = any(one.cause is TrimCause.CLAIMED for one in result.trimmed)
    preemption = _switched("NEGOTIATOR_CONSIDER_PREEMPTION", policy.consider_preemption)
    if taken or passed_over:
        yield preemption
    if Reason.CONCURRENCY_LIMIT in reasons:
        yield from _limits(policy, result)
    yield from _quotas(result)
    if Reason.PREEMPTION_REQUIREMENTS in reasons:
        yield Suggestion("PREEMPTION_REQUIREMENTS", "PREEMPTION_REQUIREMENTS = true")
    if taken:
        margin = "PREEMPTION_REQUIREMENTS = RemoteUserPrio > 2 * SubmitterUserPrio"
        yield Suggestion("PREEMPTION_REQUIREMENTS", margin)
    if len(result.groups) > 1:
        yield _switched("GROUP_AUTOREGROUP", policy.group_autoregroup)
        yield _switched("GROUP_ACCEPT_SURPLUS", policy.group_accept_surplus)
    yield _switched("NEGOTIATOR_DEPTH_FIRST", policy.depth_first)
    for name in ("NEGOTIATOR_PRE_JOB_RANK", "NEGOTIATOR_POST_JOB_RANK"):
        yield Suggestion(name, f"{name} = 0")
        yield Suggestion(name, f"{name} = Cpus")
    yield preemption
    halflife = max(1, int(policy.priority_halflife_seconds / 10))
    yield Suggestion("PRIORITY_HALFLIFE", f"PRIORITY_HALFLIFE = {halflife}")


def _switched(macro: str, value: bool) -> Suggestion:
    return Suggestion(macro, f"{macro} = {str(not value).lower()}")


def _limits(policy: NegotiatorPolicy, result: CycleResult) -> Iterator[Suggestion]:
    """Twice the concurrency limits that are reached."""
    names = {name.lower() for one in result.rejections for name in one.concurrency_limits}
    for name in sorted(names):
        most = policy.concurrency_limits.maximum(name)
        yield Suggestion("limit", f"{name.upper()}_LIMIT = {max(1.0, 2 * most):g}")


def _quotas(result: CycleResult) -> Iterator[Suggestion]:
    """More for the groups that lack most."""

    def lacks(one: GroupSummary) -> float:
        return one.requested - one.usage_after

    wanting = [one for one in result.groups[1:] if lacks(one) > 0 and one.config_quota > 0]
    wanting.sort(key=lacks, reverse=True)
    for one in wanting[:_GROUPS]:
        if one.static:
            yield Suggestion("quota", f"GROUP_QUOTA_{one.name} = {2 * one.config_quota:g}")
        else:
            part = min(1.0, 2 * one.config_quota)
            yield Suggestion("quota", f"GROUP_QUOTA_DYNAMIC_{one.name} = {part:g}")
        if not one.accept_surplus:
            yield Suggestion("surplus", f"GROUP_ACCEPT_SURPLUS_{one.name} = true")
