"""Selects the part of a result that is about some groups or users.

Decides which decisions belong to a group or a user: theirs, and those that take a slot from them.
The cycle is that of the whole pool: leaving others out would change what is decided.

Inputs: a ``CycleResult``, names.  Outputs: a ``CycleResult`` with fewer entries; raises
``UnknownNameError``.  Follows: ``condor_userprio`` for names without a domain.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from attr import evolve

from negotiator.model.result import CycleResult
from pieslice.reports.names import did_you_mean


class UnknownNameError(Exception):
    """Nobody in the result has that name."""


def select(result: CycleResult, groups: Sequence[str], submitters: Sequence[str]) -> CycleResult:
    """What is about the groups, with those below them, and the submitters; all without names."""
    if not groups and not submitters:
        return result
    users = _users(result)
    chosen = {user for name in submitters for user in _submitters(name, users)}
    inside = [group for name in groups for group in _groups(name, result)]
    chosen |= {user for user, group in users.items() if group in inside}
    shown = {item.group for item in result.submitters if item.name in chosen} | set(inside)
    return evolve(
        result,
        submitters=tuple(item for item in result.submitters if item.name in chosen),
        groups=tuple(item for item in result.groups if item.name in shown),
        matches=tuple(
            item for item in result.matches if item.submitter in chosen or item.preempted in chosen
        ),
        rejections=tuple(item for item in result.rejections if item.submitter in chosen),
    )


def _users(result: CycleResult) -> dict[str, str]:
    """Everybody in the result, with the group."""
    found = {item.name: item.group for item in result.submitters}
    for match in result.matches:
        if match.preempted is not None and match.preempted not in found:
            inside = [g.name for g in result.groups if _is_below(match.preempted, g.name)]
            found[match.preempted] = max(inside, key=len, default="")
    return found


def _submitters(name: str, users: Collection[str]) -> list[str]:
    """With an ``@`` the whole name counts, without it what stands before, or the user alone."""
    if "@" in name:
        found = [user for user in users if user == name]
    else:
        wanted, before = name.lower(), {user: user.partition("@")[0].lower() for user in users}
        found = [user for user in before if before[user] == wanted]
        found = found or [user for user in before if before[user].rpartition(".")[2] == wanted]
    if not found:
        bare = (user.partition("@")[0].rpartition(".")[2] for user in users)
        raise UnknownNameError(_unknown("submitter", name, [*users, *bare]))
    return found


def _groups(name: str, result: CycleResult) -> list[str]:
    """A group and those below it."""
    known = [item.name for item in result.groups]
    if name.lower() not in (group.lower() for group in known):
        raise UnknownNameError(_unknown("group", name, known))
    return [group for group in known if group.lower() == name.lower() or _is_below(group, name)]


def _is_below(name: str, group: str) -> bool:
    return name.lower().startswith(f"{group.lower()}.")


def _unknown(kind: str, name: str, known: Iterable[str]) -> str:
    return f"no {kind} `{name}` in the pool{did_you_mean(name, known)}"
