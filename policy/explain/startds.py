"""Lists what a configuration sets for its startds, per startd that a local name tells apart.

Inputs: a ``Config``, the name of a macro.  Outputs: each value with its origins and its expression.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attr import frozen

from classad.errors import ClassAdParseError
from policy.config import Config
from policy.explain.sentences import Origin, listing, origin_of
from policy.knobs.other_daemons import DAEMONS
from policy.language import expressions
from policy.language.macros import ExpansionError
from policy.language.table import Definition

if TYPE_CHECKING:
    from classad.ads.expression import Expression


@frozen
class StartdSetting:
    """A value of a macro: expanded text, where it is set, ``tree`` if it is an expression."""

    text: str
    origins: tuple[Origin, ...]
    tree: Expression | None

    def startds(self) -> str:
        """The startds that have it, by local name."""
        return listing(startd_of(origin) for origin in self.origins)


def startd_settings(config: Config, macro: str) -> list[StartdSetting]:
    """The values that a macro has at the startds.

    A definition with a local name counts for the startd of that name.
    """
    found: dict[str, list[Origin]] = {}
    for entry in config.scope.table:
        *prefixes, name = entry.name.split(".")
        known = [p for p in prefixes if p.casefold() != "startd"]
        if name.casefold() != macro.casefold() or len(prefixes) > 1:
            continue  # nobody reads a name with two prefixes
        if any(prefix.upper() in DAEMONS for prefix in known):
            continue
        text = _startd_text(config, entry, known[0] if known else None)
        found.setdefault(text, []).append(origin_of(macro, entry))
    return [
        StartdSetting(text, tuple(origins), _parsed(text))
        for text, origins in found.items()
        if text
    ]


def _startd_text(config: Config, entry: Definition, local_name: str | None) -> str:
    try:
        return config.seen_by("STARTD", local_name).expand(entry).text
    except ExpansionError:
        return entry.raw


def _parsed(text: str) -> Expression | None:
    try:
        return expressions.parse(text)
    except ClassAdParseError:
        return None


def startd_of(origin: Origin) -> str:
    """Which startds a definition is for."""
    names = [part for part in origin.knob.split(".")[:-1] if part.casefold() != "startd"]
    return names[0] if names else "every startd"
