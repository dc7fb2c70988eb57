"""Loads the negotiator's policy from a configuration.

Inputs: a ``Config`` (or plain names and texts).  Outputs: ``PolicyLoad``: the policy, diagnostics,
and the settings that are not honoured.  Each field says itself how it is read
(``policy.knobs.fields``).
Follows: start-up of condor_negotiator 25.14.1 (golden vectors ``negotiator-startup``): where the
daemon aborts there is an error among the diagnostics, and the default is used to go on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from attr import evolve, frozen

from classad.errors import Diagnostic
from policy.config import Config, Library, config_from_mapping
from policy.dialects import HTCONDOR, Dialect
from policy.groups import read_groups, read_limits
from policy.history import builtin_rows
from policy.knobs import PARTS, Knob, Need, find_knob, shares, table_defaults
from policy.knobs.fields import KnobReader, config_for, readers
from policy.knobs.reading import IGNORED, read_knob
from policy.language.about import About, about
from policy.language.sources import MemorySources, Sources
from policy.language.table import Context, Definition
from policy.lazily import Lazily
from policy.versions import NEWEST, Version

if TYPE_CHECKING:
    from policy.claims import ClaimSettings
    from policy.model import NegotiatorPolicy
    from policy.own_machine import OwnMachineSettings

__all__ = ["PolicyLoad", "Unsupported", "load_policy", "policy_from_knobs"]


@frozen
class Unsupported:
    """A setting that influences a cycle and is not acted upon."""

    knob: Knob
    definition: Definition
    text: str

    @property
    def macro(self) -> str:
        """The macro as the configuration spells it."""
        return self.definition.name

    @property
    def reason(self) -> str:
        """Why it is not acted upon."""
        return self.knob.reason


@frozen
class PolicyLoad:
    """The policy and what was noticed on the way.

    An ``error`` among the diagnostics, but for text that is ignored behind an expression, is a
    place where the daemon that reads the macro ends; of some that is not condor_negotiator.
    ``config``: what it was loaded from.
    """

    policy_read: Lazily[NegotiatorPolicy]
    config: Config
    diagnostics: tuple[Diagnostic, ...] = ()
    unsupported: tuple[Unsupported, ...] = ()

    @property
    def policy(self) -> NegotiatorPolicy:
        """What the negotiator does."""
        return self.policy_read.value

    @property
    def daemon_starts(self) -> bool:
        """Would condor_negotiator start with this?"""
        ending = filter(ends_daemon, self.diagnostics)
        return all(ended_by(found) != "NEGOTIATOR" for found in ending)


def ends_daemon(finding: Diagnostic) -> bool:
    """Whether a daemon ends at what was found while a policy was read."""
    return finding.severity == "error" and finding.id != IGNORED


def ended_by(finding: Diagnostic) -> str:
    """The subsystem of the daemon that ends at a value."""
    knob = find_knob(about(finding).macro)
    return "NEGOTIATOR" if knob is None else knob.read_by


def load_policy(
    config: Config,
    *,
    subsystem: str = "NEGOTIATOR",
    local_name: str | None = None,
    dialect: Dialect = HTCONDOR,
    version: Version | None = None,
    sources: Sources | None = None,
) -> PolicyLoad:
    """The policy that a negotiator with this subsystem and local name has.

    ``version``: that of the negotiator, without it that of the configuration.  ``sources``: where
    the files of user maps are; without it only maps in the configuration count.
    """
    if config.context != Context(subsystem, local_name):
        config = config.seen_by(subsystem, local_name)
    if version is not None and version != config.version:
        config = evolve(config, version=version)
    knobs = KnobReader(config, dialect)
    values = _values(knobs, sources)
    diagnostics = (*_relevant(knobs.diagnostics, bool(values["groups"])),)
    return PolicyLoad(
        Lazily(partial(_policy, values)), config, diagnostics, tuple(_unsupported(config))
    )


def policy_from_knobs(
    values: Mapping[str, str],
    library: Library | None = None,
    dialect: Dialect = HTCONDOR,
    *,
    version: Version = NEWEST,
    local_name: str | None = None,
    more: Mapping[str, str] = MappingProxyType({}),
) -> PolicyLoad:
    """The policy of plain knobs over the defaults, as recorded scenarios have them.

    ``more``: names and contents of configurations that are read after them.
    """
    if library is None:
        newest = {name: [text] for name, text in table_defaults().items()}
        rows = builtin_rows(version, newest)
        library = Library({name: rows[name][0] for name in newest if name in rows}, version=version)
    context = Context("NEGOTIATOR", local_name)
    config = config_from_mapping(values, library, context=context, more=more)
    loaded = load_policy(config, local_name=local_name, dialect=dialect, version=version)
    return evolve(loaded, diagnostics=(*config.diagnostics, *loaded.diagnostics))


def _policy(values: Mapping[str, Any]) -> NegotiatorPolicy:
    from policy.model import NegotiatorPolicy

    return NegotiatorPolicy(**values)


def _values(knobs: KnobReader, sources: Sources | None) -> dict[str, Any]:
    """The fields of the policy."""
    groups = read_groups(knobs.config, knobs.dialect)
    limits, limit_problems = read_limits(knobs.config)
    knobs.diagnostics.extend((*groups.diagnostics, *limit_problems))
    user_maps = _user_maps(knobs, sources)
    return {
        **{name: read(knobs) for part in PARTS for name, read in readers(part)},
        "dialect": knobs.dialect,
        "version": knobs.config.version,
        "groups": groups.groups,
        "group_accept_surplus": groups.accept_surplus,
        "group_autoregroup": groups.autoregroup,
        "concurrency_limits": limits,
        "claims_read": Lazily(partial(_claims, knobs.config)),
        "own_machine_read": Lazily(partial(_own_machine, knobs.config)),
        "user_maps": user_maps,
    }


# A cycle and a check need neither.
def _claims(config: Config) -> ClaimSettings:
    from policy.claims import read_claims

    return read_claims(config)


def _own_machine(config: Config) -> OwnMachineSettings:
    from policy.own_machine import read_own_machine

    return read_own_machine(config)


def _user_maps(knobs: KnobReader, sources: Sources | None) -> Mapping[str, Mapping[str, str]]:
    """The maps that NEGOTIATOR_CLASSAD_USER_MAP_NAMES names."""
    config = knobs.config
    entry = config.lookup(f"{config.context.subsystem}_CLASSAD_USER_MAP_NAMES")
    if entry is None or not entry.raw.strip():
        return {}
    from policy.maps.user_maps import UserMaps, macro_text, map_names, read_user_map

    found = {}
    for name in map_names(config):
        methods = read_user_map(config, sources or MemorySources(), name, knobs.diagnostics)
        has_file = macro_text(config, f"CLASSAD_USER_MAPFILE_{name}") is not None
        if methods is None and has_file and sources is None:
            continue
        if methods is None:
            macro = shares.NEGOTIATOR_CLASSAD_USER_MAP_NAMES.name
            message = f"{macro}: `{name}` has no map"
            where = f"CLASSAD_USER_MAPFILE_{name} "
            where += "names no file that can be read here" if has_file else "is not set"
            of_list = About(macro=macro, names=(name,))
            lost = Diagnostic(message, severity="warning", help=where, about=of_list)
            knobs.diagnostics.append(lost)
        else:
            found[name] = methods
    return UserMaps(found)


def _relevant(diagnostics: Iterable[Diagnostic], has_groups: bool) -> Iterable[Diagnostic]:
    """The diagnostics, softened where the daemon only reads the knob when there are groups."""
    for found in diagnostics:
        knob = find_knob(about(found).macro)
        if not has_groups and knob is not None and knob.groups_only:
            found.severity, found.id = "warning", "P112"
            found.help = "condor_negotiator reads it only when groups are configured"
        yield found


def _unsupported(config: Config) -> Iterable[Unsupported]:
    """Settings that differ from the default and would change a cycle if they were honoured."""
    for entry in config.scope.table:
        macro = config.context.base_name(entry.name) or entry.name
        knob = find_knob(macro)
        if knob is None or knob.honoured or knob.need is Need.IRRELEVANT:
            continue
        reader = config_for(config, knob)
        if reader.lookup(macro) is not entry:
            continue
        text = read_knob(reader, knob, macro).text
        if text.split() != (knob.default or "").split():
            yield Unsupported(knob, entry, text)
