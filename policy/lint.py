"""Things in a configuration that HTCondor accepts and nobody means.

What is decided here: which findings there are.  Each has a stable id:

``unknown-knob``            a name that differs a little from one the negotiator reads
``unlisted-group``          a group knob for a group that is not in GROUP_NAMES
``undefined-macro``         a macro in a policy expression that expands to nothing
``unexpanded-reference``    a reference that stays in a policy expression as text
``unknown-attribute``       an attribute that differs a little from one the negotiator adds
``group-attribute``         an attribute that GROUP_SORT_EXPR cannot see

Inputs: a ``Config``.  Outputs: warnings, in the order of the definitions.
Never here: what stops a daemon (``policy.load``), words and comments that a line hides
(``policy.reader``).
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator
from typing import Final

from classad.errors import Diagnostic
from policy.config import Config
from policy.ephemeral import EPHEMERAL, find_ephemeral
from policy.knob import Kind, Knob
from policy.knobs import KNOBS, find_knob
from policy.knobs_shares import (
    GROUP_ACCEPT_SURPLUS_OF,
    GROUP_AUTOREGROUP_OF,
    GROUP_NAMES,
    GROUP_PRIO_FACTOR,
    GROUP_QUOTA,
    GROUP_QUOTA_DYNAMIC,
    GROUP_SORT_EXPR,
)
from policy.table import Definition
from policy.typed import Reading, place, read_knob

#: How alike two names must be for one to be a slip of the other.
ALIKE: Final = 0.88
#: What the ad of a group has when GROUP_SORT_EXPR is evaluated.
GROUP_ATTRIBUTES: Final = frozenset(
    ("accountinggroup", "groupquota", "groupresourcesinuse", "groupresourcesallocated")
)
_GROUP_FAMILIES: Final = (
    GROUP_QUOTA_DYNAMIC,
    GROUP_QUOTA,
    GROUP_ACCEPT_SURPLUS_OF,
    GROUP_AUTOREGROUP_OF,
    GROUP_PRIO_FACTOR,
)
_PLAIN_REFERENCE = re.compile(r"\$\(([A-Za-z0-9_./]+)\)")


def lint(config: Config) -> list[Diagnostic]:
    """The findings in everything that the configuration itself sets."""
    own = [entry for entry in config.scope.table if entry.source is not None]
    used = {name.casefold() for entry in own for name in _PLAIN_REFERENCE.findall(entry.raw)}
    groups = {name.casefold() for name in read_knob(config, GROUP_NAMES).names()}
    findings: list[Diagnostic] = []
    for entry in own:
        macro = config.context.base_name(entry.name) or entry.name
        knob = find_knob(macro)
        if config.scope.table.default(macro) is None and macro.casefold() not in KNOBS:
            findings.extend(_unknown(entry, macro, used))
            findings.extend(_unlisted(entry, macro, groups))
        if knob is not None and knob.kind is Kind.EXPR and config.lookup(macro) is entry:
            reading = read_knob(config, knob, macro)
            if reading.diagnostic is None:
                findings.extend(_expression(config, knob, entry, reading))
    return findings


def _near(name: str, known: Iterable[str]) -> str | None:
    """The known name that ``name`` is a slip of."""
    table = {item.casefold(): item for item in known}
    found = difflib.get_close_matches(name.casefold(), list(table), n=1, cutoff=ALIKE)
    return table[found[0]] if found and found[0] != name.casefold() else None


def _whole(entry: Definition, message: str, id_: str, help_text: str | None) -> Diagnostic:
    """A finding about a definition as such."""
    end = max(entry.end, entry.start + 1)
    return Diagnostic(
        message, entry.source, entry.start, end, severity="warning", id=id_, help=help_text
    )


def _unknown(entry: Definition, macro: str, used: set[str]) -> Iterator[Diagnostic]:
    if macro.casefold() in used or any(f.member(macro) is not None for f in _GROUP_FAMILIES):
        return
    meant = _near(macro, (knob.name for knob in KNOBS.values()))
    if meant is not None:
        message = f"`{macro}` is not a macro that HTCondor reads"
        yield _whole(entry, message, "unknown-knob", f"did you mean `{meant}`?")


def _unlisted(entry: Definition, macro: str, groups: set[str]) -> Iterator[Diagnostic]:
    for family in _GROUP_FAMILIES:
        group = family.member(macro)
        if group is None:
            continue
        if group.casefold() not in groups:
            message = f"`{macro}` is for a group that is not in GROUP_NAMES"
            yield _whole(entry, message, "unlisted-group", None)
        return


def _expression(
    config: Config, knob: Knob, entry: Definition, reading: Reading
) -> Iterator[Diagnostic]:
    for name in _PLAIN_REFERENCE.findall(entry.raw):
        if config.lookup(name) is None:
            message = f"`$({name})` is not defined and leaves a hole in {knob.name}"
            yield _whole(entry, message, "undefined-macro", None)
    if re.search(r"(?<!\$)\$\w*\(", reading.text):
        message = f"{knob.name} keeps a reference that is not one: `{reading.text}`"
        help_text = "a default may hold only letters, digits, blanks and `_ . / $ , : \\`"
        yield _whole(entry, message, "unexpanded-reference", help_text)
    yield from _attributes(knob, entry, reading)


def _attributes(knob: Knob, entry: Definition, reading: Reading) -> Iterator[Diagnostic]:
    """Findings about the attributes that an expression refers to."""
    from classad.nodes import Reference, walk

    tree = reading.expression()
    if tree is None:
        return
    for node in walk(tree.node):
        if not isinstance(node, Reference) or node.name.casefold() in ("my", "target"):
            continue
        where = place(entry, reading.text, node.start, node.end)
        if knob is GROUP_SORT_EXPR:
            if node.name.casefold() not in GROUP_ATTRIBUTES:
                message = f"`{node.name}` is not an attribute that groups are sorted by"
                help_text = "they have AccountingGroup, GroupQuota, GroupResourcesInUse and"
                help_text += " GroupResourcesAllocated"
                yield Diagnostic(
                    message, *where, severity="warning", id="group-attribute", help=help_text
                )
        elif find_ephemeral(node.name) is None:
            meant = _near(node.name, (attribute.name for attribute in EPHEMERAL))
            if meant is not None:
                yield Diagnostic(
                    f"unknown attribute `{node.name}` in {knob.name}",
                    *where,
                    severity="warning",
                    id="unknown-attribute",
                    help=f"did you mean `{meant}`? (set by the negotiator)",
                )
