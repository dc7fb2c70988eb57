"""What a knob is: the declaration of one macro, or one family of macros.

Inputs: nothing.  Outputs: the ``Knob`` class that ``policy.knobs`` and its tables fill.
Never here: reading a configuration, defaults (each stands in its declaration and nowhere else).
Follows: the parameter table of 25.14.1; ``(program)`` defaults are those which the table does not
have, so that condor_config_val calls the macro not defined.
"""

from __future__ import annotations

from enum import Enum

from attr import field, frozen


class Kind(Enum):
    """How the text of a knob is read."""

    BOOL = "bool"
    INT = "int"
    DOUBLE = "double"
    #: The number a text begins with, 0 if it begins with none; expressions are not evaluated.
    LEADING = "leading number"
    EXPR = "expression"
    LIST = "list"
    STRING = "string"


class Need(Enum):
    """Whether a negotiation cycle outside a pool needs the knob."""

    MUST = "must"
    OPTIONAL = "optional"
    IRRELEVANT = "irrelevant"


@frozen
class Knob:
    """One macro.

    ``name`` is spelled as HTCondor does; a family has its variable part in angle brackets
    (``GROUP_QUOTA_<group>``).  ``default`` is the raw text, None for none.  ``doc`` begins with a
    verb.  ``read_by`` is the subsystem whose prefix applies.  ``honoured`` says whether
    ``pieslice negotiate`` acts on it; if not, ``reason`` says why.  ``fatal`` tells what the
    daemon does with an invalid value: abort with exit status 4, or go on.
    """

    name: str
    kind: Kind
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
        head, _, rest = self.name.partition("<")
        tail = rest.partition(">")[2]
        folded = macro.casefold()
        if len(macro) <= len(head) + len(tail) or not folded.startswith(head.casefold()):
            return None
        if not folded.endswith(tail.casefold()):
            return None
        return macro[len(head) : len(macro) - len(tail)]
