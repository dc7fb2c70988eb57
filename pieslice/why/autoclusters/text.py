"""Describes what became of many jobs: ``why CLUSTER``, ``why --user`` and ``why --group``.

Inputs: an ``Overview``.  Outputs: blocks for ``pieslice.reports.layout``; JSON.
"""

from __future__ import annotations

from typing import Final

from pieslice.data import JsonObject
from pieslice.reports.layout import Block, Column, Line, Table
from pieslice.reports.text import KINDS, plural
from pieslice.why.autoclusters.overview import AutoclusterVerdict, Overview

#: Rows that are shown; JSON has all.
MAX_ROWS: Final = 40


def overview_blocks(found: Overview) -> list[Block]:
    """The sum, a row for each autocluster, the jobs that do not wait."""
    blocks: list[Block] = [Line(headline(found), heading=True)]
    for other in found.others:
        text = f"  {plural(other.jobs, 'job')} {other.status} (first {other.first})"
        if other.preempted:
            text += f", {other.preempted} of them preempted in this cycle"
        blocks.append(Line(text, level="bad" if other.preempted else ""))
    if not found.autoclusters:
        return blocks
    domains = {item.submitter.partition("@")[2] for item in found.autoclusters}
    one_domain = f"@{domains.pop()}" if len(domains) == 1 else ""
    rows = [_row(item, one_domain) for item in found.autoclusters]
    several = len({item.submitter for item in found.autoclusters}) > 1
    columns: list[Column] = [
        Column("first job", right=True, brief="first"),
        Column("jobs", right=True),
        Column("matched", right=True),
        Column("submitter", name=True),
        Column("verdict", prose=True),
    ]
    if not several:
        del columns[3]
        rows = [(*row[:3], *row[4:]) for row in rows]
    blocks += [Line(), Table(tuple(columns), tuple(rows[:MAX_ROWS]))]
    if len(rows) > MAX_ROWS:
        blocks.append(
            Line(f"  and {plural(len(rows) - MAX_ROWS, 'more autocluster')}; --json lists them all")
        )
    worst = found.autoclusters[0]
    if worst.causes:
        cause = worst.causes[0]
        blocks += [Line(), Line(f"`pieslice why POOL {cause.first}` tells more of the first")]
    return blocks


def headline(found: Overview) -> str:
    """How many of the jobs were matched."""
    if not found.waiting:
        return f"{found.about}: no job waits for a slot"
    text = f"{found.about}: {plural(found.waiting, 'job')} in "
    text += f"{plural(len(found.autoclusters), 'autocluster')} waited"
    left = found.waiting - found.matched
    if not left:
        return f"{text}, all matched"
    return f"{text}: {found.matched} matched, {left} not"


def _row(item: AutoclusterVerdict, one_domain: str) -> tuple[str, ...]:
    """The cells; a domain that all submitters have is left out."""
    return (
        item.first,
        str(item.jobs),
        str(item.matched),
        item.submitter.removesuffix(one_domain),
        verdict(item),
    )


def verdict(item: AutoclusterVerdict) -> str:
    """One line: what the jobs without a slot wait for, the most frequent cause first."""
    ways = ", ".join(f"{count} {KINDS[kind]}" for kind, count in item.ways.items())
    if not item.causes:
        return f"all matched ({ways})"
    several = item.jobs > 1
    parts = [
        f"{cause.jobs} more not requested after that"
        if cause.follows and len(item.causes) > 1
        else f"{f'{cause.jobs} ' if several else ''}{cause.fate.value}: {cause.text}"
        for cause in item.causes
    ]
    return "; ".join(parts)


def overview_data(found: Overview) -> JsonObject:
    """The same for programs."""
    return {
        "about": found.about,
        "verdict": headline(found),
        "waiting": found.waiting,
        "matched": found.matched,
        "autoclusters": [
            {
                "submitter": item.submitter,
                "schedd": item.schedd,
                "autocluster": item.autocluster,
                "first": item.first,
                "jobs": item.jobs,
                "matched": item.matched,
                "ways": {kind.value: count for kind, count in item.ways.items()},
                "verdict": verdict(item),
                "causes": item.causes,
            }
            for item in found.autoclusters
        ],
        "others": found.others,
    }
