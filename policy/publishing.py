"""Says what a startd publishes of its configuration in the ads of its slots.

Its policy expressions are there under names of their own, ``SLOT_TYPE_<n>_START`` for the slots of
a type before ``START``.  What lists like STARTD_ATTRS name is there under the names of the macros;
what the list of a slot or of its type names may have a value for that slot or type.  PREEMPT,
SUSPEND and their like are in no ad.

Inputs: a configuration as a startd sees it, what a slot is.  Outputs: ``Published`` by attribute.
Follows: condor_startd 25.14.1, asked with static, partitionable and dynamic slots (these are of the
type and have the number of the slot that they are a part of).
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from typing import TYPE_CHECKING, Final

from attr import frozen

from classad.errors import ClassAdParseError
from classad.language.rules import NEWEST, LanguageRules
from classad.patterns import late_regex
from classad.source import Source
from policy.config import Config
from policy.language import expressions
from policy.language.macros import ExpansionError
from policy.language.table import Definition

if TYPE_CHECKING:
    from classad.ads.expression import Expression

#: Lists the attributes that the startd puts into the ads of its slots.
STARTD_ATTRS: Final = "STARTD_ATTRS"
#: The same list by its names of old and for what HTCondor itself lists.
LISTS: Final = (STARTD_ATTRS, "STARTD_EXPRS", "SYSTEM_STARTD_ATTRS")
#: Macro -> attribute, and its text where the macro is not set.
POLICY: Final = {
    "START": ("Start", "true"),
    "RANK": ("Rank", "0"),
    "SLOT_WEIGHT": ("SlotWeight", "Cpus"),
    "MAXJOBRETIREMENTTIME": ("MaxJobRetirementTime", "0"),
    "MACHINEMAXVACATETIME": ("MachineMaxVacateTime", "10 * 60"),
}
#: What stands in an ad for an expression that does not parse; without one it is left out.
_BROKEN: Final = {"Start": "error", "Rank": "0.0"}
_NAME: Final = late_regex(r"[A-Za-z_]\w*")
_HEAD: Final = late_regex(r"(?:^|\.)(SLOT(?:_TYPE_)?\d+_)", re.IGNORECASE)
_STARTD_NAME: Final = "STARTD_NAME"


@frozen
class SlotKind:
    """What decides which macros are for a slot: its SlotTypeID and SlotID, None if not known."""

    type: int | None = None
    number: int | None = None

    def heads(self, *, listed: bool) -> Iterator[str]:
        """What stands before a macro for this slot only; ``listed``: its own lists name it."""
        if listed and self.number is not None:
            yield f"SLOT{self.number}_"
        if self.type is not None:
            yield f"SLOT_TYPE_{self.type}_"

    def only(self, heads: Container[str]) -> SlotKind:
        """The kind by those of its heads that there are: slots alike in that publish the same."""
        number = self.number if f"SLOT{self.number}_" in heads else None
        return SlotKind(self.type if f"SLOT_TYPE_{self.type}_" in heads else None, number)


def own_heads(config: Config) -> set[str]:
    """What stands before macros that are for some slots only."""
    table = config.scope.table
    names = (*(entry.name for entry in table), *table.default_names())
    return {found[1].upper() for name in names if (found := _HEAD.search(name))}


def local_startds(config: Config) -> dict[str, str]:
    """The startds that are started with local names: their names, and the local names."""
    found = {}
    for entry in config.scope.table:
        local, dot, macro = entry.name.partition(".")
        if dot and macro.upper() == _STARTD_NAME and local.upper() != "STARTD":
            found[text_of(config, entry).strip()] = local
    return found


@frozen
class Published:
    """An attribute; ``expression`` is None for one that the startd leaves out.

    ``macro``: where its text is from.  ``is_set``: whether a file says so, not a default.
    """

    attribute: str
    macro: str
    text: str
    expression: Expression | None
    is_set: bool

    @property
    def is_policy(self) -> bool:
        """Whether the attribute is a policy expression, not one that a list names."""
        return self.attribute in _POLICY_ATTRIBUTES


_POLICY_ATTRIBUTES: Final = frozenset(attribute for attribute, _ in POLICY.values())


def published(config: Config, kind: SlotKind, language: LanguageRules = NEWEST) -> list[Published]:
    """All that is published for a slot, the policy expressions first."""
    found = {}
    for macro, (attribute, default) in POLICY.items():
        definition = _definition(config, macro, kind.heads(listed=False))
        found[attribute.casefold()] = _published(config, attribute, definition, default, language)
    for attribute, listed in _listed(config, kind).items():
        heads = kind.heads(listed=True) if listed else ()
        definition = _definition(config, attribute, heads)
        if definition is not None and attribute.casefold() not in found:
            found[attribute.casefold()] = _published(config, attribute, definition, "", language)
    return list(found.values())


def _listed(config: Config, kind: SlotKind) -> dict[str, bool]:
    """The attributes of the lists: whether one for the slot or its type has it."""
    found: dict[str, bool] = {}
    spelled: dict[str, str] = {}
    own = [f"{head}{STARTD_ATTRS}" for head in kind.heads(listed=True)]
    for macro in (*LISTS, *own):
        for name in _NAME.findall(text_of(config, config.lookup(macro))):
            name = spelled.setdefault(name.casefold(), name)
            found[name] = found.get(name, False) or macro in own
    return found


def _definition(config: Config, macro: str, heads: Iterator[str] | tuple[()]) -> Definition | None:
    """The first that there is: for the slot, for its type, for all."""
    for head in heads:
        definition = config.lookup(f"{head}{macro}")
        if definition is not None and definition.raw.strip():
            return definition
    definition = config.lookup(macro)
    return None if definition is None or not definition.raw.strip() else definition


def _published(
    config: Config,
    attribute: str,
    definition: Definition | None,
    default: str,
    language: LanguageRules,
) -> Published:
    macro = attribute if definition is None else definition.name
    text = " ".join(text_of(config, definition).split()) or default
    is_set = definition is not None and not definition.is_builtin
    tree: Expression | None
    try:
        tree = expressions.parse(text, Source(text, f"<{macro}>"), language=language)
    except ClassAdParseError:
        broken = _BROKEN.get(attribute)
        tree = None if broken is None else expressions.parse(broken)
    return Published(attribute, macro, text, tree, is_set)


def text_of(config: Config, definition: Definition | None) -> str:
    """The value of a definition; empty if there is none, or if its expansion has no end."""
    try:
        return "" if definition is None else config.expand(definition).text
    except ExpansionError:
        return ""
