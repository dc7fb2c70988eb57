"""Finds every expression that the configuration holds, and evaluates it over all that can be.

Policies of the daemons, families such as SYSTEM_PERIODIC_HOLD_<name>, attributes that STARTD_ATTRS
and its like publish.
Inputs: a ``View``.  Outputs: ``Held``, an expression with its use, its abstract evaluation, and the
way from its nodes to the characters of the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import Final

from attr import define

from classad.errors import ClassAdParseError
from classad.syntax.nodes import Node
from policy.knobs.declaration import Use, Wanted
from policy.knobs.reading import Place
from policy.knobs.uses import Evaluated, find_use
from policy.language.expressions import parse
from policy.language.macros import ExpansionError
from policy.lint.places import stretch
from policy.lint.view import Setting, View
from policy.values.evaluation import Evaluation
from policy.values.surroundings import Surroundings

#: Ends of the lists whose items are names of macros that become attributes of slots.
_SLOT_LISTS: Final = ("STARTD_ATTRS", "STARTD_EXPRS", "STARTD_JOB_ATTRS", "STARTD_SLOT_ATTRS")
_JOB_LISTS: Final = ("SUBMIT_ATTRS", "SUBMIT_EXPRS")
_WORD: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
#: Where transforms, routes and job scripts name an attribute that they set.
_SETS: Final = re.compile(
    r"(?im)^\s*(?:EVALSET|EVALMACRO|SET|DEFAULT|COPY|RENAME)\s+(\w+)(?:\s+(\w+))?"
)
_RESOURCE: Final = re.compile(r"(?i)machine_resource_(?:inventory_)?(\w+)")
_PUBLISHED: Final = Evaluated(Use("slot", "job", Wanted.ANY), "as an attribute of the slot")
_SUBMITTED: Final = Evaluated(Use("job", "slot", Wanted.ANY), "as an attribute of the job")


@define
class Held:
    """An expression that a setting holds."""

    setting: Setting
    text: str
    tree: Node
    how: Evaluated
    surroundings: Surroundings

    @cached_property
    def evaluation(self) -> Evaluation:
        """What it and its parts can come to."""
        return Evaluation(self.tree, self.surroundings.look_up)

    @property
    def name(self) -> str:
        """The macro that holds it."""
        return self.setting.name

    @property
    def is_policy(self) -> bool:
        """Does it decide something, and is no mere attribute?"""
        return self.how.use.wanted is not Wanted.ANY

    def spot(self, node: Node) -> Place:
        """Where a node stands in the files."""
        return stretch(self.setting, self.text, node.start, node.end)


def held(view: View) -> Iterator[Held]:
    """Every expression, in the order of the settings."""
    published = _published(view)
    slots, jobs = _listed(view, _SLOT_LISTS), _listed(view, _JOB_LISTS)
    for setting in view.settings:
        how = find_use(setting.macro)
        folded = setting.macro.casefold()
        if how is None and folded in slots:
            how = _PUBLISHED
        elif how is None and folded in jobs:
            how = _SUBMITTED
        if how is None:
            continue
        parsed = _parsed(setting)
        if parsed is not None:
            text, tree = parsed
            surroundings = Surroundings(how.use, how.matching, published)
            yield Held(setting, text, tree, how, surroundings)


def _parsed(setting: Setting) -> tuple[str, Node] | None:
    if setting.reading is not None and setting.tree is not None:
        return setting.reading.text, setting.tree
    if setting.knob is not None and setting.knob.use is not None:
        return None
    try:
        expanded = setting.config.expand(setting.entry)
        if expanded.problems or not expanded.text.strip():
            return None
        return expanded.text, parse(expanded.text).node
    except (ExpansionError, ClassAdParseError):
        return None


def _listed(view: View, lists: tuple[str, ...]) -> frozenset[str]:
    """The names in lists of one kind, with the prefixes that slot types give them."""
    return frozenset(
        word.casefold()
        for setting in view.settings
        if setting.macro.upper().endswith(lists)
        for word in _WORD.findall(setting.entry.raw)
    )


def _published(view: View) -> frozenset[str]:
    """Names of attributes that the configuration puts into ads, of which nothing is known."""
    found: set[str] = set()
    for setting in view.settings:
        raw = setting.entry.raw
        if setting.macro.upper().endswith(("_ATTRS", "_EXPRS")):
            found |= {word.casefold() for word in _WORD.findall(raw)}
        for names in _SETS.findall(raw):
            found |= {name.casefold() for name in names if name}
        resource = _RESOURCE.fullmatch(setting.macro)
        if resource is not None:
            name = resource[1].casefold()
            found |= {name, f"total{name}", f"request{name}", f"detected{name}", f"assigned{name}"}
    return frozenset(found)
