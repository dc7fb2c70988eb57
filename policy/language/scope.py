"""Looks macros up and expands them as one daemon or tool sees them.

Inputs: the macro table, the context (subsystem and local name), the function macros.
Outputs: definitions, expanded texts with the problems met on the way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from attr import evolve, frozen

from classad.patterns import late_regex
from policy.language.functions import Functions
from policy.language.macros import Expander, Known, MacroReference, replace_self
from policy.language.table import Context, Definition, MacroTable

#: A variable of the environment without a default.
_FROM_ENVIRONMENT: Final = late_regex(r"(?<!\$)\$ENV\((\w+)\)")


class Expanded(NamedTuple):
    """An expanded text and the failures of function macros in it; ``lasting``: no function had a
    part in it, so that it is the same the next time."""

    text: str
    problems: tuple[str, ...] = ()
    lasting: bool = True


@frozen
class Scope:
    """A table seen from a context; ``foreign`` if it was read for another one."""

    table: MacroTable
    context: Context
    functions: Functions
    foreign: bool = False

    def seen_by(self, context: Context) -> Scope:
        """The same table seen from another context."""
        return evolve(self, context=context, foreign=self.foreign or context != self.context)

    def lookup(self, name: str) -> Definition | None:
        """What ``name`` stands for here."""
        return self.table.lookup(name, self.context)

    def expander(self) -> Expander:
        """An expander for texts that belong to no macro."""
        return Expander(self.lookup, self.functions.call, plain=self._plain)

    @property
    def _plain(self) -> Callable[[str], Definition | None] | None:
        return self.table.exact if self.foreign else None

    def expand(self, text: str) -> str:
        """``text`` expanded; failures of functions go to ``functions.report``."""
        if "$" not in text:
            return text
        return self.expander().expand(text)

    def expand_definition(self, definition: Definition, known: Known | None = None) -> Expanded:
        """The expanded value of a definition; raises ``ExpansionError``.

        ``known``: see ``Expander``.
        """
        if "$" not in definition.raw:
            return Expanded(definition.raw, ())
        problems: list[str] = []
        report, called = self.functions.reporting(problems.append), []

        def call(reference: MacroReference, expander: Expander) -> str:
            called.append(reference)
            return report(reference, expander)

        expander = Expander(self.lookup, call, (definition.name,), self._plain, known=known)
        return Expanded(expander.expand(definition.raw), tuple(problems), not called)

    def used_by(self, definition: Definition) -> list[tuple[str, Definition | None]]:
        """The macros that its expansion looks up, in order, each with what it stands for."""
        if "$" not in definition.raw:
            return []
        used: dict[str, tuple[str, Definition | None]] = {}

        def lookup(name: str) -> Definition | None:
            found = self.lookup(name)
            used.setdefault(name.casefold(), (name, found))
            return found

        call = self.functions.reporting(lambda message: None)
        Expander(lookup, call, (definition.name,), self._plain).expand(definition.raw)
        return list(used.values())

    def variables_of(self, definition: Definition) -> list[str]:
        """The variables of the environment that its value is made from and that are not there."""
        used = [definition, *(found for _, found in self.used_by(definition) if found is not None)]
        return [name for link in used for name in self.variables_in(link.raw)]

    def variables_in(self, text: str) -> list[str]:
        """The variables that a text refers to, without a default, and that are not there."""
        named = _FROM_ENVIRONMENT.findall(text)
        return [name for name in named if name not in self.functions.environment]

    def undefined_in(self, text: str) -> list[str]:
        """The macros that a text refers to and that nobody defines."""
        found: dict[str, str] = {}

        def lookup(name: str) -> Definition | None:
            entry = self.lookup(name)
            if entry is None:
                found.setdefault(name.casefold(), name)
            return entry

        call = self.functions.reporting(lambda message: None)
        Expander(lookup, call, plain=self._plain).expand(text)
        return list(found.values())

    def resolve_self(self, name: str, text: str) -> str:
        """``text``, about to be assigned to ``name``, without references to ``name``."""
        if "$" not in text:
            return text
        base = self.context.base_name(name)
        names = {name.casefold()} if base is None else {name.casefold(), base.casefold()}
        folded = text.casefold()
        if not any(one in folded for one in names):
            return text

        def current(reference: str) -> str:
            # The name without the prefix stands for the prefixed one as soon as that is set.
            plain = base is not None and reference.casefold() == base.casefold()
            entry = self.lookup(reference) if plain else self.table.exact(reference)
            return "" if entry is None else entry.raw

        return replace_self(text, lambda n: n.casefold() in names, current, self.expander())
