"""Lists the options of ``condor_userprio`` and those of this command: reader, help and completion
read the same table.

Follows: condor_userprio of HTCondor 25.14.1; ``-json`` is new.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Word(NamedTuple):
    """An option, what it is for, how many letters of it are needed, and what follows it."""

    word: str
    help: str
    values: tuple[str, ...] = ()
    least: int = 1
    #: What follows up to the next option.
    rest: str = ""


#: In the order in which an abbreviation is looked up.
OPTIONS: Final = (
    Word("setprio", "set the real priority of a user", ("USER", "N")),
    Word("setfactor", "set the priority factor of a user", ("USER", "N")),
    Word("setfloor", "set the least that a user gets", ("USER", "N")),
    Word("setceiling", "set the most that a user gets", ("USER", "N")),
    Word("duration", "end the change of a factor, floor or ceiling after a while", ("SECONDS",)),
    Word("cancelceilinglease", "end the ceiling of a user that has a duration", ("USER",)),
    Word("cancelfloorlease", "end the floor of a user that has a duration", ("USER",)),
    Word("cancelfactorlease", "end the factor of a user that has a duration", ("USER",)),
    Word("setbegin", "set the time of a user's first usage", ("USER", "T")),
    Word("setaccum", "set the accumulated usage of a user", ("USER", "SECONDS")),
    Word("setlast", "set the time of a user's last usage", ("USER", "T")),
    Word("resetusage", "forget the accumulated usage of a user", ("USER",)),
    Word("delete", "forget a user", ("USER",), 3),
    Word("resetall", "forget the accumulated usage of all users"),
    Word("long", "print the records as ads"),
    Word("constraint", "only records for which this is true", ("EXPR",)),
    Word("legacy", "taken for compatibility", (), 3),
    Word("modular", "print one ad for each record", (), 3),
    Word("af", "print these expressions; -af:MODIFIERS, of , t n l V r", (), 2, "EXPR"),
    Word("autoformat", "the same as -af", (), 5, "EXPR"),
    Word("debug", "taken for compatibility"),
    Word("hierarchical", "users below their groups", (), 2),
    Word("heir", "the same as -hierarchical"),
    Word("flat", "users and groups in one list", (), 2),
    Word("grouprollup", "groups with the sums of all below them"),
    Word("grouporder", "groups before users"),
    Word("quotas", "show the columns of group quotas"),
    Word("surplus", "show which groups take surplus"),
    Word("sortkey", "show the key by which groups take their turns", (), 2),
    Word("all", "show every column"),
    Word("most", "show the usual columns, as without any option for columns", (), 2),
    Word("groupid", "show the numbers of groups"),
    Word("order", "show the order in which groups take their turns"),
    Word("activefrom", "users that were active since a day", ("MONTH", "DAY", "YEAR")),
    Word("allusers", "all users, not only those of the last day"),
    Word("usage", "show the columns of usage", (), 2),
    Word("priority", "show the columns of priorities", (), 4),
    Word("getreslist", "print the slots that a user has", ("USER",), 6),
    Word("inputfile", "read accounting ads from a file", ("FILE",), 2),
    Word("pool", "refused: it would ask a daemon", ("HOST",)),
    Word("name", "only records of one negotiator", ("NEGOTIATOR",)),
    Word("collector", "the active records, as the collector has them", (), 3),
    Word("negotiator", "all records, as the negotiator has them", (), 3),
    Word("json", "print JSON", (), 4),
)
#: The options of this command, which are not shortened.
OWN: Final = (
    Word("config", "configuration with the groups; default: that of the folder", ("FILE",)),
    Word(
        "now",
        "time of the question: seconds since the epoch or ISO 8601 (default: the last update; for"
        " changes, the clock)",
        ("T",),
    ),
    Word("token", "file with a token for asking a running pool", ("FILE",)),
    Word("dry-run", "show the records that a change would write, and write nothing"),
    Word("width", "width of the table (default: the terminal's; 80 in files and pipes)", ("N",)),
    Word("wide", "every column and every name, as condor_userprio prints them"),
)
