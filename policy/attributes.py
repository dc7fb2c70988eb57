"""Knows the attributes of ads: type, unit, values, and in which ads they are when.

The table is ``policy/data/attributes.json``, made from what 25.14.1 advertises (``python -m
fuzz.daemons.advertised``); ``policy.ephemeral`` declares what the negotiator adds during a cycle.
Inputs: a name.  Outputs: ``Attribute``, or None for one that HTCondor does not know.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from functools import cache, lru_cache
from math import inf
from typing import Final

from attr import evolve, field, frozen

from classad.patterns import late_regex
from policy.data.tables import attribute_table

#: Units of instants and of spans of time.
DATE: Final = "date"
SECONDS: Final = "s"
#: Numbers from the one to below the other are instants; the first is one of 2001.
FIRST_DATE: Final = 1e9
LAST_DATE: Final = 2.0**32
#: Bytes in one of each unit of amounts.
BYTES: Final[Mapping[str, int]] = {"B": 1, "KiB": 1024, "MiB": 1024**2}

_NEIGHBOUR: Final = late_regex(r"slot\d+_")


class Availability(Enum):
    """When an ad has an attribute."""

    ALWAYS = ""
    SOMETIMES = "?"
    CLAIMED = ":claimed"
    #: Of a job: not yet when it is submitted.
    LATER = ":later"


@frozen
class Attribute:
    """One attribute.

    ``type`` is empty where it is up to the administrator or the user; an attribute of type ``real``
    may have an integer as well.  ``values`` are all values that it has, in their exact case;
    ``usual`` those that are known, where there may be others.  ``range`` has the least and the
    greatest value.  ``ads``: kind of ad (``slot``, ``job``, ``schedd``) and when it has it.
    ``old``: names that it had before a version.
    """

    name: str
    type: str
    unit: str
    range: tuple[float, float]
    values: tuple[str, ...]
    usual: tuple[str, ...]
    ads: Mapping[str, Availability]
    old: Mapping[str, str] = field(factory=dict)

    @property
    def spellings(self) -> tuple[str, ...]:
        """The values whose case is known."""
        return self.values or self.usual


@cache
def attribute_rows() -> dict[str, Attribute]:
    """All attributes of the table by case-folded name."""
    return {folded: row for folded in _names() if (row := _row(folded)) is not None}


@cache
def _names() -> dict[str, str]:
    """The names in the table, by case-folded name."""
    return {name.casefold(): name for name in attribute_table()}


@lru_cache(maxsize=10_000)
def _row(folded: str) -> Attribute | None:
    """The row of exactly this case-folded name: most questions are about a few of them."""
    name = _names().get(folded)
    return None if name is None else _attribute(name, *attribute_table()[name])


@cache
def names_in(kinds: frozenset[str]) -> tuple[str, ...]:
    """The names of the attributes that ads of some kinds have."""
    table = attribute_table().items()
    found = ((name, (_presence(word)[0] for word in row[3].split())) for name, row in table)
    return tuple(name for name, theirs in found if not kinds.isdisjoint(theirs))


def find_attribute(name: str) -> Attribute | None:
    """The row of an attribute, whatever its case; ``slot3_State`` is a neighbour's State."""
    folded = name.casefold()
    found = _row(folded)
    if found is None and _NEIGHBOUR.match(folded):
        row = _row(folded.partition("_")[2])
        if row is not None and "slot" in row.ads:
            return evolve(row, name=name, ads={"slot": Availability.SOMETIMES})
    return found


#: Commands of submit files that make an attribute of other words.
_COMMANDS: Final = {
    "accounting_group_user": "AcctGroupUser", "batch_name": "JobBatchName", "executable": "Cmd",
    "initialdir": "Iwd", "initial_dir": "Iwd", "max_retries": "JobMaxRetries",
    "stream_error": "StreamErr", "stream_output": "StreamOut",
    "notification": "JobNotification", "universe": "JobUniverse",
    "transfer_input_files": "TransferInput", "transfer_output_files": "TransferOutput",
    "use_x509userproxy": "x509userproxy",
}  # fmt: skip


def attribute_of_command(name: str) -> str | None:
    """The attribute that condor_submit makes of a command, RequestMemory of `request_memory`; None
    if a name is no command that is told from an attribute by its underscores."""
    folded = name.casefold()
    row = _row(folded.replace("_", "")) if "_" in folded.strip("_") else None
    alike = row is not None and "job" in row.ads and find_attribute(name) is None
    return row.name if row is not None and alike else _COMMANDS.get(folded)


def find_renamed(name: str) -> tuple[Attribute, str] | None:
    """The attribute that has had another name since a version, by its old name."""
    return _renamed().get(name.casefold())


@cache
def _renamed() -> dict[str, tuple[Attribute, str]]:
    rows = (_attribute(name, *row) for name, row in attribute_table().items() if row[4:])
    return {old.casefold(): (row, since) for row in rows for old, since in row.old.items()}


_ANY: Final = (-inf, inf)


def _attribute(name: str, type_: str, unit: str, values: str, ads: str, old: str = "") -> Attribute:
    low, dots, high = values.partition("..")
    limits = (float(low or -inf), float(high or inf)) if dots else _ANY
    listed = tuple(values[1:].split(",")) if values and values[0] in "=~" else ()
    return Attribute(
        name,
        type_,
        unit,
        limits,
        listed if values.startswith("=") else (),
        listed if values.startswith("~") else (),
        dict(map(_presence, ads.split())),
        {word.partition("/")[0]: word.partition("/")[2] for word in old.split()} if old else {},
    )


@cache
def _presence(word: str) -> tuple[str, Availability]:
    kind = word.rstrip("?").partition(":")[0]
    return kind, Availability(word[len(kind) :])
