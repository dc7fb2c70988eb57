"""Compares the table of attributes with what the daemons of a pool advertise.

``policy/data/attributes.json`` was made with it: a row for every attribute of the captured pools
and of a pool with running, held, suspended, local and scheduler jobs, in the ads and with the types
that were seen.  Units, sets of values and what is there only sometimes were written beside that,
from the manual.  After a new version of HTCondor, save its ads and run it again::

    condor_status -l >slots.ads;  condor_q -all -l >jobs.ads;  condor_status -schedd -l >schedds.ads
    python -m fuzz.daemons.advertised FOLDER...

It prints rows for attributes that the table does not have, and what was seen otherwise than the
table says; the exit status is 1 if there is anything of the latter kind.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from attr import define, field

from classad import ClassAd, ExprTree, Value, read_ads
from policy.attributes import Attribute, Availability, attribute_rows

#: Files of a folder, and the kind of ad that they hold.
FILES = {
    "slots": "slot",
    "jobs": "job",
    "history": "job",
    "schedds": "schedd",
    "submitters": "submitter",
}


@define
class Seen:
    """What was seen of one attribute in one kind of ad."""

    name: str
    kind: str
    ads: int = 0
    types: set[str] = field(factory=set)
    values: set[object] = field(factory=set)
    without: set[str] = field(factory=set)


def type_name(value: object) -> str:
    """The type of a value as the table names it."""
    if isinstance(value, Value):
        return "undefined"
    names = {bool: "boolean", int: "integer", float: "real", str: "string", list: "list"}
    return names.get(type(value), "ad" if isinstance(value, ClassAd) else "time")


def moment(kind: str, ad: ClassAd) -> str:
    """What is particular about an ad, by which attributes are there or not."""
    if kind != "slot":
        return "always"
    if ad.get("PartitionableSlot") is True:
        return "partitionable"
    return "claimed" if ad.get("State") in ("Claimed", "Preempting") else "free"


def observe(folder: Path, seen: dict[tuple[str, str], Seen]) -> None:
    """Add the ads of a folder."""
    for path in sorted(folder.glob("*.ads")):
        kind = FILES.get(path.stem)
        if kind is None:
            continue
        ads = list(read_ads(str(path)))
        names = {name.casefold() for ad in ads for name in ad}
        for ad in ads:
            mine = {name.casefold() for name in ad}
            for name in ad:
                note = seen.setdefault((kind, name.casefold()), Seen(name, kind))
                value = ad.eval(name) if isinstance(ad.lookup(name), ExprTree) else ad[name]
                note.ads += 1
                note.types.add(type_name(value))
                if isinstance(value, str | int | float) and len(note.values) < 1000:
                    note.values.add(value)
            for name in names - mine:
                if (kind, name) in seen:
                    seen[kind, name].without.add(moment(kind, ad))


def disagreements(row: Attribute, seen: Seen) -> Iterator[str]:
    """What was seen otherwise than the row says."""
    wrong = seen.types - {row.type, "undefined"} if row.type else set()
    if row.type == "real":
        wrong -= {"integer"}
    if wrong:
        yield f"{seen.name}: is {', '.join(sorted(wrong))} in a {seen.kind} ad, not {row.type}"
    if row.values:
        for value in sorted(str(value) for value in seen.values - set(row.values)):
            yield f'{seen.name}: "{value}" is not among its values'
    low, high = row.range
    for number in seen.values:
        if isinstance(number, int | float) and not low <= number <= high:
            yield f"{seen.name}: {number} is not between {low:g} and {high:g}"
    if seen.kind not in row.ads:
        yield f"{seen.name}: is in a {seen.kind} ad"
    elif row.ads[seen.kind] is Availability.ALWAYS and seen.without:
        yield f"{seen.name}: some {seen.kind} ads do not have it ({', '.join(seen.without)})"


def main(folders: list[str]) -> int:
    """Print new rows and disagreements."""
    seen: dict[tuple[str, str], Seen] = {}
    for folder in folders:
        observe(Path(folder), seen)
    rows = attribute_rows()
    status = 0
    for (_, folded), note in sorted(seen.items(), key=lambda item: item[0][1]):
        row = rows.get(folded)
        if row is None:
            types = "/".join(sorted(note.types))
            print(f"new: {note.name} {types} {note.kind} without: {sorted(note.without)}")
            continue
        for line in disagreements(row, note):
            status = 1
            print(line)
    return status


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
