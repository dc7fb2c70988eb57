"""Searches shortly for slots and jobs that break a policy, for ``pieslice check``.

Decides how short: as many pairs as show every flaw of ``examples/policies``, unless it is given
seconds.

Inputs: a ``Config``, what slots and jobs look like, a seed.  Outputs: ``Behaviour``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator
from pathlib import PurePath
from shlex import join
from typing import TYPE_CHECKING, Final

from attr import field, frozen

from classad.patterns import late_regex
from classad.syntax.nodes import Reference, walk
from pieslice.fuzzing.finding import BrokenProperty
from pieslice.fuzzing.schema import Schema
from pieslice.reports.document import NOT_SHOWN, view
from policy.attributes import find_attribute
from policy.config import Config
from policy.explain.roles import host_of, is_whole, may_read, readers_of
from policy.knobs.declaration import Wanted
from policy.lint.environment import is_known, left_out

if TYPE_CHECKING:
    from pieslice.fuzzing.properties import Total

#: Pairs of slots and jobs that are tried where nobody says for how long.
PAIRS: Final = 4000
#: Why nothing is tried of most configurations.
NOTHING_SET: Final = "no expression is set that `pieslice fuzz` tries"
#: An attribute that may be one of the slot.
_OF_SLOT: Final = late_regex(r"(?:MY\.)?(\w+)", re.IGNORECASE)
#: The same as ``PAIRS`` where the time ends the search.
_MANY: Final = 10**9


@view("property macro place clause says")
class BrokenInShort:
    """A property that does not hold: by which expression, by which part of it, in which case."""

    broken: BrokenProperty


@frozen
class Behaviour:
    """What a search found: pairs that were tried, properties that held, those that are broken.

    ``missing``: why nothing was tried.
    """

    pairs: int = 0
    seed: int = 0
    held: tuple[str, ...] = ()
    broken: tuple[BrokenInShort, ...] = ()
    missing: str | None = None
    #: Whether slots and jobs are like those of a captured pool, and options of reading as words.
    captured: bool = field(default=False, metadata=NOT_SHOWN)
    options: tuple[str, ...] = field(default=(), metadata=NOT_SHOWN)

    def lines(self, path: str) -> Iterator[str]:
        """A line for each broken property, under one about the search."""
        if self.missing is not None:
            return
        tried = f"in {self.pairs:,} pairs of slots and jobs, seed {self.seed}"
        if self.broken:
            words = [path, *(["--pool", path] if self.captured else []), *self.options]
            shows = f"`{join(['pieslice', 'fuzz', *words])}` shows the cases"
            yield f"{path}: behaviour: broken {tried}; {shows}"
        else:
            yield f"{path}: behaviour: no counterexample to {', '.join(self.held)} {tried}"
        for one in self.broken:
            found = one.broken
            yield f"  {found.property}: {found.says} ({found.macro}, {PurePath(found.place).name})"

    @property
    def count(self) -> str:
        """How many properties are broken; empty if none is."""
        broken = len({one.broken.property for one in self.broken})
        return f"{broken} broken propert{'y' if broken == 1 else 'ies'}" if broken else ""

    @property
    def left_out(self) -> str:
        """What was not looked at."""
        if self.missing is not None:
            return f"how it behaves: {self.missing}"
        return "more slots and jobs (--deep S), the course of days (`pieslice simulate`)"


def behaviour_of(
    config: Config,
    schema: Schema,
    seed: int = 0,
    go_on: Callable[[], bool] | None = None,
    defines: Iterable[tuple[str, str]] = (),
    explained: Container[str] = (),
) -> Behaviour:
    """What a short search finds, or one for as long as ``go_on`` says.

    ``defines``: what was defined besides the files, for the command that tries the same.
    ``explained``: case-folded names of macros with a finding that says why they have no value.
    """
    from pieslice.fuzzing.choose import Named, chosen
    from pieslice.fuzzing.properties import Total
    from pieslice.fuzzing.search import search
    from pieslice.fuzzing.study import Intent, study_of
    from policy.explain.trial import CannotTry

    if not config.complete:
        return Behaviour(missing="the configuration cannot be read")
    try:
        study = study_of(config, schema, Intent())
    except CannotTry as problem:
        return Behaviour(missing=str(problem).partition("\n")[0].rstrip(": "))
    if not study.can_be_broken:
        return Behaviour(missing=NOTHING_SET)
    pairs = PAIRS if go_on is None else _MANY
    tests = [
        one
        for one in chosen(study, [], Named(), None)
        if not isinstance(one, Total) or may_read(config, one.subject.macro)
    ]
    found = search(tests, pairs, seed, go_on=go_on or _always)
    broken = {one.property for one in found.findings}
    held = tuple(name for name, _ in found.tested if name not in broken)
    totals = {one.subject.macro: one for one in tests if isinstance(one, Total)}
    told = tuple(
        BrokenInShort(one)
        for one in found.findings
        if may_read(config, one.macro)
        and not _rests_on_the_environment(config, one.macro)
        and (
            one.property != Total.name
            or (one.macro.casefold() not in explained and _is_sure(config, one, totals[one.macro]))
        )
    )
    if not told and not held:
        return Behaviour(missing="no daemon here reads an expression that `pieslice fuzz` tries")
    options = tuple(word for name, value in defines for word in ("-D", f"{name}={value}"))
    return Behaviour(
        found.examples,
        seed,
        held,
        told,
        captured=not schema.open,
        options=options,
    )


def _is_sure(config: Config, one: BrokenProperty, total: Total) -> bool:
    """Does a daemon something else than is meant, whatever other files may say?"""
    return total.matters(one.case) and not _rests_on_a_guess(config, one, total)


def _rests_on_a_guess(config: Config, one: BrokenProperty, total: Total) -> bool:
    """Is a value undefined only where slots lack what a script of the startd or another file may
    give them, that of another host for instance, or what MACHINE_RESOURCE_<name> gives them, even
    if that is 0?"""
    if "STARTD" not in readers_of(one.macro):
        tree = walk(total.subject.tree.node)
        names = (node.name for node in tree if isinstance(node, Reference))
        is_rank = total.subject.wanted is Wanted.NUMBER
        host = host_of(config)
        elsewhere = host.listed is not None and not host.runs("STARTD")
        return is_rank and elsewhere and any(map(_is_of_the_site, names))
    name = _OF_SLOT.fullmatch(one.clause)
    if name is None:
        return False
    givers = [f"MACHINE_RESOURCE_{name[1]}"]
    if _is_of_the_site(name[1]):
        if not is_whole(config) or left_out(config):
            return True
        givers.append("STARTD_CRON_JOBLIST")
    found = (config.lookup(giver) for giver in givers)
    return any(one is not None and not one.is_builtin for one in found)


def _is_of_the_site(attribute: str) -> bool:
    """Is it an attribute that no daemon, manual or source has?"""
    row = find_attribute(attribute)
    return row is None or not row.ads


def _rests_on_the_environment(config: Config, macro: str) -> bool:
    entry = config.lookup(macro)
    return entry is not None and not is_known(config) and bool(config.scope.variables_of(entry))


def _always() -> bool:
    return True
