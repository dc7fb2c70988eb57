"""A configuration into the negotiator's policy.

What is decided here: which knob fills which field, what happens to invalid values, and which
settings are not honoured.  Inputs: a ``Config`` (or plain names and texts).  Outputs:
``PolicyLoad``: the policy, diagnostics, and what the configuration asks for in vain.
Never here: defaults, how a text is read (``policy.knobs.typed``).
Follows: start-up of condor_negotiator 25.14.1 (golden vectors ``negotiator-startup``): where the
daemon aborts there is an error among the diagnostics, and the default is used to go on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from attr import evolve, field, frozen

from classad.errors import ClassAdParseError, Diagnostic
from classad.source import Source
from policy.config import Config, Library, config_from_mapping
from policy.dialects import HTCONDOR, Dialect
from policy.groups import read_groups
from policy.knobs import Kind, Knob, Need, find_knob
from policy.knobs import cycle as cycle
from policy.knobs import matching as matching
from policy.knobs import shares as shares
from policy.knobs.typed import Reading, default_value, place, read_knob
from policy.language import expressions
from policy.language.sources import MemorySources, Sources
from policy.language.table import Context, Definition
from policy.limits import read_limits
from policy.model import NegotiatorPolicy

if TYPE_CHECKING:
    from classad.ads.expression import Expression as ExprTree
    from policy.maps.user_maps import UserMaps

#: Source, first and last character.
Place = tuple[Source | None, int, int]
_MATCH_PREFIX = "NegotiatorMatchExpr"


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

    An ``error`` among the diagnostics is a place where condor_negotiator would have aborted.
    """

    policy: NegotiatorPolicy
    diagnostics: tuple[Diagnostic, ...] = ()
    unsupported: tuple[Unsupported, ...] = ()

    @property
    def daemon_starts(self) -> bool:
        """Would condor_negotiator start with this?"""
        return all(found.severity != "error" for found in self.diagnostics)


def load_policy(
    config: Config,
    *,
    subsystem: str = "NEGOTIATOR",
    local_name: str | None = None,
    dialect: Dialect = HTCONDOR,
    sources: Sources | None = None,
) -> PolicyLoad:
    """The policy that a negotiator with this subsystem and local name has.

    ``sources``: where the files of user maps are; without it only maps in the configuration count.
    """
    if config.context != Context(subsystem, local_name):
        config = config.seen_by(subsystem, local_name)
    readings = _Readings(config, dialect, sources)
    policy = _build(readings)
    diagnostics = (*_relevant(readings.diagnostics, policy),)
    return PolicyLoad(policy, diagnostics, tuple(_unsupported(config)))


def policy_from_knobs(
    values: Mapping[str, str],
    library: Library | None = None,
    dialect: Dialect = HTCONDOR,
    *,
    local_name: str | None = None,
) -> PolicyLoad:
    """The policy of plain knobs over the defaults, as recorded scenarios have them."""
    if library is None:
        from policy.knobs import table_defaults

        library = Library(table_defaults())
    config = config_from_mapping(values, library, context=Context("NEGOTIATOR", local_name))
    loaded = load_policy(config, local_name=local_name, dialect=dialect)
    return evolve(loaded, diagnostics=(*config.diagnostics, *loaded.diagnostics))


@frozen
class _Readings:
    """Reads knobs and gathers what is wrong with them."""

    config: Config
    dialect: Dialect = HTCONDOR
    sources: Sources | None = None
    diagnostics: list[Diagnostic] = field(factory=list)

    def get(self, knob: Knob) -> Reading:
        config = self.config
        if knob.read_by not in ("NEGOTIATOR", config.context.subsystem):
            config = config.seen_by(knob.read_by)
        reading = read_knob(config, knob)
        if reading.diagnostic is not None:
            self.diagnostics.append(reading.diagnostic)
        return reading

    def flag(self, knob: Knob) -> bool:
        reading = self.get(knob)
        if reading.definition is None or reading.definition.is_builtin:
            return self.dialect.flags.get(knob.name, reading.boolean())
        return reading.boolean()

    def integer(self, knob: Knob) -> int:
        return self.get(knob).integer()

    def integer_if_set(self, knob: Knob) -> int | None:
        """None where only the default, which depends on the machine, applies."""
        definition = self.config.seen_by(knob.read_by).lookup(knob.name)
        if definition is None or definition.is_builtin:
            return None
        return self.integer(knob)

    def number(self, knob: Knob) -> float:
        return self.get(knob).number()

    def expression(self, knob: Knob) -> ExprTree | None:
        return self.get(knob).expression()

    def names_or_none(self, knob: Knob) -> tuple[str, ...] | None:
        return self.get(knob).names() or None

    def pattern(self) -> str:
        """REMOVE_SIGNIFICANT_ATTRIBUTES_REGEX, nothing if it is no regular expression."""
        reading = self.get(cycle.REMOVE_SIGNIFICANT_ATTRIBUTES_REGEX)
        try:
            re.compile(reading.text)
        except re.error as mistake:
            message = f"{reading.macro}: `{reading.text}` is not a regular expression: {mistake}"
            self.diagnostics.append(Diagnostic(message, severity="warning"))
            return ""
        return reading.text

    def factor(self, knob: Knob) -> float:
        """A priority factor; below 1 it counts as 1."""
        reading = self.get(knob)
        number = reading.number()
        if number < 1.0:
            message = f"{knob.name}: {number:g} is no priority factor, 1 is used"
            spot: Place = (None, 0, 0)
            if reading.definition is not None:
                spot = place(reading.definition, reading.text)
            self.diagnostics.append(Diagnostic(message, *spot, severity="warning", id="P604"))
        return max(1.0, number)

    def sort_expression(self) -> ExprTree | None:
        """GROUP_SORT_EXPR, which must not be set to nothing."""
        reading = self.get(shares.GROUP_SORT_EXPR)
        tree = reading.expression()
        if tree is None:
            message = "GROUP_SORT_EXPR is set to nothing, which stops condor_negotiator"
            spot: Place = (None, 0, 0)
            if reading.definition is not None:
                spot = place(reading.definition, reading.text)
            self.diagnostics.append(Diagnostic(message, *spot))
            tree = expressions.parse(shares.GROUP_SORT_EXPR.default or "")
        return tree

    def poolsize_constraint(self) -> ExprTree | None:
        """The constraint under its new name, else under its old one."""
        new = self.get(shares.NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT)
        if new.text:
            return new.expression()
        return self.expression(shares.GROUP_DYNAMIC_MACH_CONSTRAINT)

    def user_maps(self) -> UserMaps:
        """The maps that NEGOTIATOR_CLASSAD_USER_MAP_NAMES names."""
        from policy.maps.user_maps import UserMaps, map_names, read_user_map

        found = {}
        sources = self.sources or MemorySources()
        for name in map_names(self.config):
            methods = read_user_map(self.config, sources, name, self.diagnostics)
            has_file = self.config.text(f"CLASSAD_USER_MAPFILE_{name}") is not None
            if methods is None and has_file and self.sources is None:
                continue
            if methods is None:
                message = f"{shares.NEGOTIATOR_CLASSAD_USER_MAP_NAMES.name}: `{name}` has no map"
                where = f"CLASSAD_USER_MAPFILE_{name} "
                where += "names no file that can be read here" if has_file else "is not set"
                self.diagnostics.append(Diagnostic(message, severity="warning", help=where))
            else:
                found[name] = methods
        return UserMaps(found)

    def match_exprs(self) -> tuple[tuple[str, ExprTree], ...]:
        """The macros of NEGOTIATOR_MATCH_EXPRS under the attribute names they get."""
        found = []
        for name in self.get(matching.NEGOTIATOR_MATCH_EXPRS).names():
            text = self.config.text(name)
            if text is None:
                continue
            attribute = name
            if not name.lower().startswith(_MATCH_PREFIX.lower()):
                attribute = _MATCH_PREFIX + name
            try:
                found.append((attribute, expressions.parse(text)))
            except ClassAdParseError:
                message = f"NEGOTIATOR_MATCH_EXPRS: `{name}` is not an expression"
                self.diagnostics.append(Diagnostic(message, severity="warning"))
        return tuple(found)


def _build(read: _Readings) -> NegotiatorPolicy:
    groups = read_groups(read.config, read.dialect)
    limits, limit_problems = read_limits(read.config)
    read.diagnostics.extend((*groups.diagnostics, *limit_problems))
    return NegotiatorPolicy(
        dialect=read.dialect,
        groups=groups.groups,
        group_accept_surplus=groups.accept_surplus,
        concurrency_limits=limits,
        user_maps=read.user_maps(),
        **_matching_fields(read),
        **_course_fields(read),
        **_share_fields(read),
    )


def _matching_fields(read: _Readings) -> dict[str, Any]:
    """What a slot or a request is measured by."""
    return {
        "preemption_requirements": read.expression(matching.PREEMPTION_REQUIREMENTS),
        "preemption_requirements_stable": read.flag(matching.PREEMPTION_REQUIREMENTS_STABLE),
        "preemption_rank": read.expression(matching.PREEMPTION_RANK),
        "preemption_rank_stable": read.flag(matching.PREEMPTION_RANK_STABLE),
        "consider_preemption": read.flag(matching.NEGOTIATOR_CONSIDER_PREEMPTION),
        "consider_early_preemption": read.flag(matching.NEGOTIATOR_CONSIDER_EARLY_PREEMPTION),
        "allow_pslot_preemption": read.flag(matching.ALLOW_PSLOT_PREEMPTION),
        "pre_job_rank": read.expression(matching.NEGOTIATOR_PRE_JOB_RANK),
        "post_job_rank": read.expression(matching.NEGOTIATOR_POST_JOB_RANK),
        "ignore_job_ranks": read.flag(matching.NEGOTIATOR_IGNORE_JOB_RANKS),
        "matchlist_caching": read.flag(matching.NEGOTIATOR_MATCHLIST_CACHING),
        "slot_constraint": read.expression(matching.NEGOTIATOR_SLOT_CONSTRAINT),
        "submitter_constraint": read.expression(matching.NEGOTIATOR_SUBMITTER_CONSTRAINT),
        "job_constraint": read.expression(matching.NEGOTIATOR_JOB_CONSTRAINT),
        "slot_poolsize_constraint": read.poolsize_constraint(),
        "trim_shutdown_threshold_seconds": read.integer(
            matching.NEGOTIATOR_TRIM_SHUTDOWN_THRESHOLD
        ),
        "match_working_cm_slots": read.flag(matching.MATCH_WORKING_CM_SLOTS),
        "use_slot_weights": read.flag(matching.NEGOTIATOR_USE_SLOT_WEIGHTS),
        "slot_weight": read.expression(matching.SLOT_WEIGHT),
        "force_slot_weight": read.flag(matching.FORCE_NEGOTIATOR_SLOT_WEIGHT),
        "match_exprs": read.match_exprs(),
        "cross_slot_prios": read.flag(matching.NEGOTIATOR_CROSS_SLOT_PRIOS),
        "startd_resource_prefix": read.get(matching.STARTD_RESOURCE_PREFIX).text,
    }


def _course_fields(read: _Readings) -> dict[str, Any]:
    """Requests, autoclusters and the time between cycles."""
    return {
        "use_resource_request_counts": read.flag(cycle.USE_RESOURCE_REQUEST_COUNTS),
        "resource_request_list_size": read.integer(cycle.NEGOTIATOR_RESOURCE_REQUEST_LIST_SIZE),
        "prefetch_requests": read.flag(cycle.NEGOTIATOR_PREFETCH_REQUESTS),
        "depth_first": read.flag(matching.NEGOTIATOR_DEPTH_FIRST),
        "use_global_job_prios": read.flag(cycle.USE_GLOBAL_JOB_PRIOS),
        "max_global_job_prios": read.integer(cycle.MAX_GLOBAL_JOB_PRIOS),
        "negotiate_all_jobs_in_cluster": read.flag(cycle.NEGOTIATE_ALL_JOBS_IN_CLUSTER),
        "max_jobs_running": read.integer_if_set(cycle.MAX_JOBS_RUNNING),
        "max_concurrent_uploads_per_user": read.integer(cycle.MAX_CONCURRENT_UPLOADS_PER_USER),
        "significant_attributes": read.names_or_none(cycle.SIGNIFICANT_ATTRIBUTES),
        "add_significant_attributes": read.get(cycle.ADD_SIGNIFICANT_ATTRIBUTES).names(),
        "remove_significant_attributes": read.get(cycle.REMOVE_SIGNIFICANT_ATTRIBUTES).names(),
        "remove_significant_attributes_regex": read.pattern(),
        "start_vanilla_universe": read.expression(cycle.START_VANILLA_UNIVERSE),
        "interval_seconds": read.integer(cycle.NEGOTIATOR_INTERVAL),
        "min_interval_seconds": read.integer(cycle.NEGOTIATOR_MIN_INTERVAL),
        "cycle_delay_seconds": read.integer(cycle.NEGOTIATOR_CYCLE_DELAY),
        "max_time_per_cycle_seconds": read.integer(cycle.NEGOTIATOR_MAX_TIME_PER_CYCLE),
        "max_time_per_submitter_seconds": read.integer(cycle.NEGOTIATOR_MAX_TIME_PER_SUBMITTER),
        "max_time_per_schedd_seconds": read.integer(cycle.NEGOTIATOR_MAX_TIME_PER_SCHEDD),
        "max_time_per_pie_spin_seconds": read.integer(cycle.NEGOTIATOR_MAX_TIME_PER_PIESPIN),
    }


def _share_fields(read: _Readings) -> dict[str, Any]:
    """Priorities and quotas."""
    return {
        "priority_halflife_seconds": read.number(shares.PRIORITY_HALFLIFE),
        "default_prio_factor": read.factor(shares.DEFAULT_PRIO_FACTOR),
        "nice_user_prio_factor": read.factor(shares.NICE_USER_PRIO_FACTOR),
        "remote_prio_factor": read.factor(shares.REMOTE_PRIO_FACTOR),
        "accountant_local_domain": read.get(shares.ACCOUNTANT_LOCAL_DOMAIN).text,
        "discount_suspended_resources": read.flag(shares.NEGOTIATOR_DISCOUNT_SUSPENDED_RESOURCES),
        "ignore_user_priorities": read.flag(shares.NEGOTIATOR_IGNORE_USER_PRIORITIES),
        "group_sort_expr": read.sort_expression(),
        "group_quota_max_allocation_rounds": read.integer(shares.GROUP_QUOTA_MAX_ALLOCATION_ROUNDS),
        "group_quota_round_robin_rate": read.number(shares.GROUP_QUOTA_ROUND_ROBIN_RATE),
        "allow_quota_oversubscription": read.flag(shares.NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION),
        "strict_enforce_quota": read.flag(shares.NEGOTIATOR_STRICT_ENFORCE_QUOTA),
        "use_weighted_demand": read.flag(shares.NEGOTIATOR_USE_WEIGHTED_DEMAND),
    }


def _relevant(diagnostics: Iterable[Diagnostic], policy: NegotiatorPolicy) -> Iterable[Diagnostic]:
    """The diagnostics, softened where the daemon only reads the knob when there are groups."""
    lazy = (
        shares.GROUP_QUOTA_MAX_ALLOCATION_ROUNDS.name,
        shares.GROUP_QUOTA_ROUND_ROBIN_RATE.name,
    )
    for found in diagnostics:
        if not policy.groups and found.message.startswith(lazy):
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
        reader = config if knob.read_by == "NEGOTIATOR" else config.seen_by(knob.read_by)
        if reader.lookup(macro) is not entry:
            continue
        reading = read_knob(reader, knob, macro)
        if not _is_default(reader, knob, reading):
            yield Unsupported(knob, entry, reading.text)


def _is_default(config: Config, knob: Knob, reading: Reading) -> bool:
    default = config.scope.expand(knob.default or "")
    if knob.kind in (Kind.EXPR, Kind.LIST, Kind.STRING):
        return reading.text.split() == default.split()
    return not reading.value if not knob.default else reading.value == default_value(config, knob)
