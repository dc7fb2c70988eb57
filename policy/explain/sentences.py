"""Defines sentences about a policy, each with the definitions it comes from.

Inputs: readings of knobs, definitions.  Outputs: ``Sentence`` values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attr import evolve, field, frozen

from policy.config import Config
from policy.knobs.declaration import Knob
from policy.knobs.fields import config_for
from policy.knobs.reading import Reading, in_force, read_knob
from policy.language.table import Definition

if TYPE_CHECKING:
    from classad.ads.expression import Expression
    from policy.explain.conclusions import Conclusion


@frozen
class Origin:
    """Where a knob got its value; ``file`` is None for a default."""

    knob: str
    file: str | None = None
    line: int | None = None
    template: str | None = None

    def place(self) -> str:
        """``file:line``, with the template that set it, or ``default``."""
        if self.file is None:
            return "default"
        line = "" if self.line is None else f":{self.line}"
        return f"{self.file}{line}" + (f" (use {self.template})" if self.template else "")

    def local_name(self) -> str:
        """The startd that a definition is for; empty if it is for all."""
        names = [part for part in self.knob.split(".")[:-1] if part.casefold() != "startd"]
        return names[0] if names else ""

    def startds(self) -> str:
        """Which startds a definition is for."""
        return self.local_name() or "every startd"


def origin_of(knob: str, definition: Definition | None) -> Origin:
    """The origin of a definition; None and built-in ones are defaults."""
    if definition is None or definition.is_builtin:
        return Origin(knob)
    return Origin(definition.name, definition.origin, definition.line, definition.template)


@frozen
class Sentence:
    """One statement under a topic.  ``depth`` indents the members of a tree."""

    topic: str
    text: str
    origins: tuple[Origin, ...] = ()
    depth: int = field(default=0, kw_only=True)

    def places(self) -> str:
        """The places in brackets: those in files, else that it is the default."""
        found = dict.fromkeys(o.place() for o in self.origins if o.file is not None)
        if found:
            return f"[{', '.join(found)}]"
        return "[default]" if self.origins else ""


@frozen
class Topic:
    """What sentences stand under; reads the knobs that they are about."""

    config: Config
    title: str
    _concluded: dict[tuple[str, str], Conclusion] = field(factory=dict)

    def titled(self, title: str) -> Topic:
        """Another heading for the same configuration; what has been concluded stays known."""
        return evolve(self, title=title)

    def reread(self, config: Config) -> Topic:
        """The same heading for another reader of the configuration; what has been concluded stays
        known."""
        return evolve(self, config=config)

    def conclude(self, macro: str, tree: Expression) -> Conclusion:
        """What the expression of a macro comes to, found out once for all headings."""
        key = macro, repr(tree)
        known = self._concluded.get(key)
        if known is None:
            from policy.explain.conclusions import conclude

            known = self._concluded[key] = conclude(self.config, macro, tree)
        return known

    def read(self, knob: Knob, macro: str | None = None) -> Reading:
        """A knob as its daemon reads it, its default where that cannot be."""
        return in_force(knob, read_knob(config_for(self.config, knob), knob, macro))

    def sentence(self, text: str, *sources: Reading | Origin, depth: int = 0) -> Sentence:
        """A sentence that comes from these readings."""
        origins = (
            source if isinstance(source, Origin) else origin_of(source.macro, source.definition)
            for source in sources
        )
        return Sentence(self.title, text, tuple(origins), depth=depth)
