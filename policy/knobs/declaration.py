"""Declares what a configuration macro is: the ``Knob`` class.

A knob is declared once, in ``policy.knobs``; readers, fields of the policy, checks, explanations
and docs/knobs.md ask the declaration.
Follows: the parameter table of 25.14.1; ``(program)`` defaults are those which the table does not
have, so that condor_config_val calls the macro not defined.
"""

from __future__ import annotations

from enum import Enum
from math import inf
from typing import Final

from attr import field, frozen

from policy.data.tables import knob_rows

#: The moment of what is asked of jobs that are just coming into the queue.
SUBMITTING: Final = "when a job is submitted"


class KnobKind(Enum):
    """How the text of a knob is read."""

    BOOL = "bool"
    INT = "int"
    DOUBLE = "double"
    #: The number a text begins with, 0 if it begins with none; expressions are not evaluated.
    LEADING = "leading number"
    #: Of a log: a number of bytes, or of what the word behind it says.
    SIZE = "size"
    EXPR = "expression"
    LIST = "list"
    STRING = "string"


class Need(Enum):
    """Whether a negotiation cycle outside a pool needs the knob."""

    MUST = "must"
    OPTIONAL = "optional"
    IRRELEVANT = "irrelevant"


class Wanted(Enum):
    """What kind of value an expression is meant to have."""

    TRUTH = "true or false"
    CONDITION = "true, false or a number"
    NUMBER = "a number"
    ANY = "any value"


@frozen
class Use:
    """How an expression is evaluated.

    ``my`` and ``target`` are the ads that MY and TARGET stand for: ``slot``, ``request``, ``job``,
    ``submitter`` or ``group``, ``either`` where nobody knows; empty for none.  ``claimed_only``:
    only slots that somebody uses are asked.  ``stable_by`` is the knob that promises that the value
    stays while a match list is used.  ``moment`` says when it is evaluated, in words.
    """

    my: str
    target: str
    wanted: Wanted
    claimed_only: bool = False
    stable_by: str = ""
    moment: str = ""

    @property
    def matching(self) -> bool:
        """Is it evaluated by the negotiator for a slot and a request, with what it adds to them?"""
        return (self.my, self.target) == ("slot", "request")

    @property
    def at_submission(self) -> bool:
        """Is it asked of jobs that are just coming into the queue?"""
        return self.moment == SUBMITTING


@frozen
class Knob:
    """One macro.

    ``name`` is spelled as HTCondor does; a family has its variable part in angle brackets
    (``GROUP_QUOTA_<group>``).  ``default`` is the raw text, None for none.  ``doc`` begins with a
    verb.  ``read_by`` is the subsystem whose prefix applies.  ``honoured`` says whether
    ``pieslice negotiate`` acts on it; if not, ``reason`` says why.  ``fatal`` tells what the
    daemon does with an invalid value: abort with exit status 4, or go on.  ``groups_only``: it is
    not read unless groups are configured.

    ``use`` says of an expression how it is evaluated, where anybody needs to know.  ``plausible``
    are the least and the greatest value, 0 apart, that somebody who has the unit right would write.
    ``unordered``: the order of a list does not matter.  ``replaced_by`` is the new name.
    ``broken`` says of an expression what its daemon does when it does not parse, if not end.
    ``wide``: an integer of 64 bits.
    """

    name: str
    kind: KnobKind
    default: str | None
    doc: str
    unit: str = ""
    need: Need = Need.MUST
    minimum: float | None = None
    maximum: float | None = None
    read_by: str = field(default="NEGOTIATOR", kw_only=True)
    in_table: bool = field(default=True, kw_only=True)
    fatal: bool = field(default=True, kw_only=True)
    honoured: bool = field(default=True, kw_only=True)
    reason: str = field(default="", kw_only=True)
    differs: str = field(default="", kw_only=True)
    groups_only: bool = field(default=False, kw_only=True)
    use: Use | None = field(default=None, kw_only=True)
    plausible: tuple[float, float] | None = field(default=None, kw_only=True)
    unordered: bool = field(default=False, kw_only=True)
    replaced_by: str = field(default="", kw_only=True)
    broken: str = field(default="", kw_only=True)
    wide: bool = field(default=False, kw_only=True)
    #: What a member has before and behind its variable part, case-folded.
    around: tuple[str, str] = field(init=False, eq=False, repr=False)

    @property
    def matches(self) -> bool:
        """Is it an expression that is evaluated for a slot and a request?"""
        return self.use is not None and self.use.matching

    @property
    def is_family(self) -> bool:
        """Does the name have a variable part?"""
        return "<" in self.name

    def of(self, member: str) -> str:
        """The macro of one member of a family."""
        head, _, rest = self.name.partition("<")
        return head + member + rest.partition(">")[2]

    def member(self, macro: str) -> str | None:
        """The variable part of ``macro`` if it belongs to this family, as spelled there."""
        head, tail = self.around
        folded = macro.casefold()
        if not (folded.startswith(head) and folded.endswith(tail)):
            return None
        return macro[len(head) : len(macro) - len(tail)] or None

    @around.default
    def _around(self) -> tuple[str, str]:
        head, _, rest = self.name.casefold().partition("<")
        return head, rest.partition(">")[2]


def knob_row(name: str) -> Knob:
    """The declaration of a knob of the cycle, from its row in ``policy/data/knobs.json``.

    A row has the fields of ``Knob`` that are not as most are; ``use`` and ``plausible`` are lists,
    with null for no greatest value.
    """
    row = dict(knob_rows()[name])
    use, plausible = row.pop("use", None), row.pop("plausible", None)
    if use is not None:
        my, target, wanted, *more = use
        row["use"] = Use(my, target, Wanted(wanted), *more)
    if plausible is not None:
        least, greatest = plausible
        row["plausible"] = least, inf if greatest is None else greatest
    kind, need = KnobKind(row.pop("kind")), Need(row.pop("need", Need.MUST.value))
    return Knob(name=name, kind=kind, need=need, **row)
