"""Tries one expression of a policy on ads and values of one's choice.

It knows into which ad an attribute goes that the negotiator adds, which of these attributes an
expression needs and nobody gave, and what the negotiator makes of the value.
Inputs: a ``Config``, a macro, the ads, attribute texts.  Outputs: ``MacroTrial`` and its
``TriedValue``.
Follows: matchmaking of 25.14.1: MY is the slot, TARGET the request, RemoteUserPrio and the like
go through single precision.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from attr import evolve, frozen

from classad import ClassAd
from classad.errors import ClassAdParseError, Diagnostic, suggest
from classad.evaluate import EvalContext, evaluate
from classad.language.values import ClassAdValue
from classad.patterns import late_regex
from classad.source import Source
from policy.config import Config
from policy.data.tables import meanings
from policy.ephemeral import EPHEMERAL, AdKind, Ephemeral, find_ephemeral
from policy.knobs import find_knob
from policy.knobs import matching as matching
from policy.knobs.declaration import Knob, KnobKind
from policy.knobs.fields import config_for
from policy.knobs.readers import find_readers
from policy.knobs.reading import read_knob
from policy.knobs.uses import find_use
from policy.language import expressions
from policy.language.macros import ExpansionError
from policy.language.table import Definition
from policy.publishing import SlotKind, published
from policy.transforms.acceptance import Requirement, add_scopes, judge, requirement
from policy.transforms.rules import argument, rules_of_definition

if TYPE_CHECKING:
    from classad.ads.expression import Expression

_CONSTRAINTS: Final = (
    matching.NEGOTIATOR_SLOT_CONSTRAINT,
    matching.NEGOTIATOR_SUBMITTER_CONSTRAINT,
    matching.NEGOTIATOR_JOB_CONSTRAINT,
)
#: Macros with lines of commands, of which REQUIREMENTS is the expression.
_LINES: Final = late_regex(
    r"JOB_(?:TRANSFORM|ROUTER_ROUTE|ROUTER_TRANSFORM)_(?!NAMES$)\w+", re.IGNORECASE
)
_NAME: Final = late_regex(r"[A-Za-z_][A-Za-z0-9_]*")
_SUBMISSION: Final = late_regex(
    r"SUBMIT_REQUIREMENT_(\w+)(?<!_IS_WARNING)(?<!_NAMES)", re.IGNORECASE
)
_PERIODIC: Final = late_regex(
    r"SYSTEM_PERIODIC_(REMOVE|HOLD|RELEASE|VACATE)(_\w+)?(?<!_REASON)(?<!_SUBCODE)(?<!_NAMES)",
    re.IGNORECASE,
)


class CannotTry(Exception):  # noqa: N818 - its text is the message
    """Why there is nothing to evaluate; ``diagnostic`` if there is a place to show."""

    def __init__(self, why: str, diagnostic: Diagnostic | None = None) -> None:
        super().__init__(why)
        self.diagnostic = diagnostic


@frozen
class TriedValue:
    """A value and what the negotiator makes of it (empty: nothing is known)."""

    value: ClassAdValue
    effect: str


@frozen
class MacroTrial:
    """An expression and the two ads it is evaluated in."""

    macro: str
    knob: Knob | None
    definition: Definition | None
    text: str
    tree: Expression
    my: ClassAd
    target: ClassAd
    context: EvalContext
    #: What the daemons ignore behind the expression.
    ignored: Diagnostic | None = None
    #: What MY has by STARTD_ATTRS of the configuration.
    published: tuple[str, ...] = ()
    #: What the schedd asks with it of a new job.
    requirement: Requirement | None = None

    def assign(self, name: str, text: str) -> None:
        """Set an attribute: ``MY.x``, ``TARGET.x``, one that the negotiator adds, or one of MY."""
        from classad.ads.expression import Expression

        ad, name, found = self._where(name)
        try:
            source, language = Source(text, f"<{name}>"), self.context.language
            tree = expressions.parse(text, source, whole=True, language=language)
        except ClassAdParseError as problem:
            raise CannotTry(str(problem), problem.diagnostic) from None
        value = evaluate(tree)
        if found is not None and found.rounded and value.__class__ in (int, float):
            ad.insert(name, single(float(value)))
        else:
            ad.insert(name, Expression.from_node(tree.node))

    def assign_number(self, name: str, number: float) -> None:
        """Set an attribute to a number, in single precision where the negotiator does so."""
        ad, name, found = self._where(name)
        ad.insert(name, single(number) if found is not None and found.rounded else number)

    def _where(self, name: str) -> tuple[ClassAd, str, Ephemeral | None]:
        scope, _, bare = name.rpartition(".")
        if scope.casefold() not in ("", "my", "target") or not _NAME.fullmatch(bare):
            raise CannotTry(f"`{name}` is not the name of an attribute")
        found = find_ephemeral(bare)
        in_request = found is not None and found.ad is AdKind.REQUEST
        if scope:
            in_request = scope.casefold() == "target"
        return (self.target if in_request else self.my), bare, found

    def outcome(self) -> TriedValue:
        """Evaluate."""
        value = evaluate(self.tree, self.my, self.target, context=self.context)
        found = effect(self.knob, value) or _periodically(self.macro, value)
        return TriedValue(value, found or self._submitted())

    def _submitted(self) -> str:
        """What the schedd makes of the value of a submit requirement."""
        if self.requirement is None:
            return ""
        found = judge((self.requirement,), self.target, self.my, self.context)
        unknown = self._unknown_of_schedd()
        doubt = f"if the schedd has no {' and no '.join(unknown)} (--my gives its ad): "
        lead = doubt if unknown else ""
        if found.refusal is not None:
            return f"{lead}the schedd refuses the job: {found.refusal.reason}"
        for warning in found.warnings:
            return f"{lead}the schedd takes the job with a warning: {warning.reason}"
        return f"{lead}the schedd takes the job, as far as this requirement goes"

    def _unknown_of_schedd(self) -> list[str]:
        """What a submit requirement reads of the ad of the schedd, which does not have it here."""
        from classad.analysis.mentions import refs
        from classad.syntax.nodes import Reference, walk

        names = {
            node.name
            for node in walk(self.tree.node)
            if isinstance(node, Reference)
            and isinstance(node.base, Reference)
            and node.base.name.casefold() == "schedd"
        }
        read = sorted(names | refs(self.tree).my, key=str.casefold)
        return [name for name in read if name not in self.my and name.casefold() != "job"]

    def published_names(self) -> list[str]:
        """What the expression uses of what STARTD_ATTRS publishes."""
        from classad.analysis.references import internal_references

        if not self.published:
            return []
        used = set(map(str.casefold, internal_references(self.my, self.tree).names))
        return [name for name in self.published if name.casefold() in used]

    def missing(self) -> list[Ephemeral]:
        """The attributes the negotiator would add that the expression needs and no ad has."""
        from classad.syntax.nodes import Reference, walk

        names = {
            node.name.casefold() for node in walk(self.tree.node) if isinstance(node, Reference)
        }
        return [
            entry
            for entry in EPHEMERAL
            if entry.name.casefold() in names
            and entry.name not in self.my
            and entry.name not in self.target
        ]


def trial(
    config: Config, macro: str, my: ClassAd, target: ClassAd, context: EvalContext
) -> MacroTrial:
    """The trial of the expression in ``macro``; raises ``CannotTry``.

    The slot of an expression of the startd has what STARTD_ATTRS of the configuration publishes.
    """
    readers, use = find_readers(macro), find_use(macro)
    if readers is None or "STARTD" not in readers.daemons or use is None or use.my != "slot":
        return _trial(config, macro, my, target, context)
    names, my = [], my.duplicate()
    kind = SlotKind(*(_number(my, name) for name in ("SlotTypeID", "SlotID")))
    for one in published(config, kind, context.language):
        if one.expression is not None and not one.is_policy:
            my.insert(one.attribute, one.expression)
            names.append(one.attribute)
    tried = _trial(config, macro, my, target, context)
    return evolve(tried, published=tuple(names))


def _number(ad: ClassAd, name: str) -> int | None:
    found = ad.get_number(name)
    return found if isinstance(found, int) else None


def _trial(
    config: Config, macro: str, my: ClassAd, target: ClassAd, context: EvalContext
) -> MacroTrial:
    knob = find_knob(macro)
    if knob is not None:
        if knob.kind is not KnobKind.EXPR:
            article = "an" if knob.kind is KnobKind.INT else "a"
            raise CannotTry(f"{knob.name} is no expression but {article} {knob.kind.value}")
        reading = read_knob(config_for(config, knob), knob, macro)
        if reading.diagnostic is not None:
            raise CannotTry(reading.diagnostic.message, reading.diagnostic)
        tree = reading.expression()
        if tree is None:
            raise CannotTry(f"{macro} is set to nothing")
        found = reading.definition, reading.text
        return MacroTrial(macro, knob, *found, tree, my, target, context, reading.ignored)
    definition = config.lookup(macro)
    if definition is None:
        near = suggest(macro, (*config.names(), *meanings()))
        raise CannotTry(f"not defined: {macro}{f'; did you mean `{near}`?' if near else ''}")
    if _LINES.fullmatch(macro):
        asked, condition = _requirements(definition, macro)
        return MacroTrial(macro, None, definition, asked, condition, my, target, context)
    try:
        text = config.expand(definition).text
        tree = expressions.parse(text, Source(text, f"<{macro}>"), language=context.language)
    except ExpansionError as endless:
        raise CannotTry(f"{macro}: {endless}") from None
    except ClassAdParseError as problem:
        raise CannotTry(f"{macro}: {problem}", problem.diagnostic) from None
    tried = MacroTrial(macro, None, definition, text, tree, my, target, context)
    name = _SUBMISSION.fullmatch(macro)
    if name is None:
        return tried
    add_scopes(my)
    if macro.upper().endswith("_REASON"):
        return tried
    return evolve(tried, requirement=requirement(config, name[1], tree, definition))


def _requirements(definition: Definition, macro: str) -> tuple[str, Expression]:
    """The REQUIREMENTS of a transform or a route; raises ``CannotTry``."""
    rules = rules_of_definition(definition, macro)
    if rules.fault is not None:
        raise CannotTry(rules.fault.message, rules.fault)
    if rules.requirements is None or rules.condition is None:
        raise CannotTry(f"{macro} has no REQUIREMENTS")
    return argument(rules.requirements), rules.condition


def single(number: float) -> float:
    """A number after its way through single precision."""
    return array("f", (number,))[0]


def effect(knob: Knob | None, value: object) -> str:
    """What the negotiator makes of the value of a knob."""
    if knob is matching.PREEMPTION_REQUIREMENTS:
        if value is True:
            return "the slot may be preempted for this request"
        exactly = "" if value is False else ": only exactly true allows it"
        return f"no preemption{exactly}"
    if knob is not None and knob.matches:
        if value.__class__ in (bool, int, float):
            return f"ranked {single(float(value)):.9g}"
        return "ranked below every number"
    if knob in _CONSTRAINTS and knob.use is not None:
        number = value.__class__ in (bool, int, float) and bool(value)
        return f"the {knob.use.my} {'takes' if number else 'does not take'} part"
    return ""


def _periodically(macro: str, value: object) -> str:
    """What the schedd makes of the value of an expression that it asks of its jobs all the time."""
    found = _PERIODIC.fullmatch(macro)
    if found is None or value.__class__ not in (bool, int, float):
        return ""
    if not value:
        return "the schedd leaves the job as it is"
    counts = "" if value is True else "a number that is not 0 counts as true: "
    return f"{counts}the schedd {found[1].lower()}s the job"


def newest_time(ads: Iterable[ClassAd]) -> float | None:
    """The newest of the times at which ads were made or received."""
    times = [
        value
        for ad in ads
        for name in ("MyCurrentTime", "LastHeardFrom", "ServerTime")
        if (value := ad.evaluate_attr(name)).__class__ in (int, float)
    ]
    return float(max(times)) if times else None
