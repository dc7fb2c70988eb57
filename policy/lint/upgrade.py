"""Says what another version of HTCondor makes of a configuration: an upgrade, or a step back.

Defaults that change under a configuration which does not set them, values that another version
reads otherwise, expressions that stop evaluating or mean something else, settings that begin to
count.  ``policy.lint.verdict`` adds what a check finds.

Inputs: the configuration as each of the two versions reads it.  Outputs: diagnostics.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from classad.analysis.changes import Change, What, changes_between
from classad.errors import Diagnostic
from classad.language.bounds import MAX_DEPTH
from classad.language.rules import language_of
from classad.source import Source
from policy.attributes import Availability, find_attribute
from policy.config import Config
from policy.data.tables import meanings
from policy.history import changed_defaults, is_read
from policy.knobs import KNOBS
from policy.knobs.declaration import KnobKind
from policy.language.table import DETECTED_ORIGIN, Definition
from policy.lint.expressions import MacroExpression, expressions_in
from policy.lint.finding import ERROR, NOTE, Finding
from policy.lint.names import is_spoken_of
from policy.lint.view import View, view
from policy.lint.wholes import TOO_DEEP
from policy.versions import Version

DEFAULT: Final = Finding(
    "P701",
    "a default that changes",
    "The configuration does not set the macro, so that it has another value after the step. Of"
    " macros that are new, those are told which bound or change what a negotiation cycle does by"
    " their defaults alone.",
    "EXECUTE = /scratch\n",
    "EXECUTE = /scratch\nSTARTER_NESTED_SCRATCH = False\n",
    silenceable=False,
    between=("25.3.0", "25.4.0"),
    severity=NOTE,
)
VALUE: Final = Finding(
    "P702",
    "a value that another version reads otherwise",
    "A template sets something else, or a condition asks for the version.",
    "if version >= 25.4\nSTART = TARGET.RequestGPUs > 0\nelse\nSTART = True\nendif\n",
    "START = True\n",
    silenceable=False,
    between=("25.3.0", "25.4.0"),
)
STOPS: Final = Finding(
    "P703",
    "an expression that stops evaluating",
    "It has a value before the step and none after it: the evaluation fails, and with it all that"
    " stands around the place. A START of which this is true matches no job. From 25.13.2 on"
    f" an evaluation has at most {MAX_DEPTH} operators under way, and a chain of alternatives"
    " counts each.",
    TOO_DEEP.bad,
    TOO_DEEP.good,
    silenceable=False,
    between=("25.12.0", "25.13.2"),
    severity=ERROR,
)
MEANS: Final = Finding(
    "P704",
    "an expression that means something else",
    "Before 25.13.2 `? :`, with a blank between the signs, is a conditional that binds weakest, a"
    " reference that leads to itself ends the evaluation, and the functions that compare versions"
    " are known as the manual spells them only. What the slot knows before `?:` in START is a"
    " condition when its Requirements are flattened: a number keeps them from being flattened, a"
    " text matches nothing.",
    "RANK = 1 + TARGET.JobPrio ? : 7\n",
    "RANK = 1 + TARGET.JobPrio ?: 7\n",
    silenceable=False,
    between=("25.12.0", "25.13.2"),
)
COUNTS: Final = Finding(
    "P705",
    "a setting that begins to count",
    "The old version does not read the macro, the new one does.",
    "FORCE_NEGOTIATOR_SLOT_WEIGHT = True\n",
    "# FORCE_NEGOTIATOR_SLOT_WEIGHT = True\n",
    silenceable=False,
    between=("25.4.0", "25.5.1"),
)

#: What stops an evaluation, or makes an error of the place.
_STOPPING: Final = frozenset(
    (What.UNREADABLE, What.TOO_DEEP, What.UNKNOWN_FUNCTION, What.CIRCLE_FAILS)
)
#: Attributes that the startd makes of expressions of the configuration.
_OF_SLOTS: Final = frozenset(("start", "rank"))
_TRUTHS: Final = frozenset(("`true`", "`false`"))
#: Texts of a new knob's default with which it changes nothing.
_NEUTRAL: Final = frozenset(("", "false", "0"))


def changes(old: Config, new: Config) -> Iterator[Diagnostic]:
    """What is otherwise for the reader, not what a check finds in it."""
    seen = view(new)
    yield from _values(old, new)
    yield from _expressions(seen, old.version)
    yield from _counting(seen, old.version)
    yield from _defaults(seen, old)


def _step(old: Config | Version, new: Config | Version) -> str:
    versions = (it.version if isinstance(it, Config) else it for it in (old, new))
    return " -> ".join(map(str, versions))


def _defaults(seen: View, old: Config) -> Iterator[Diagnostic]:
    """Defaults that change, of macros that the configuration leaves alone."""
    new = seen.config
    tables = [
        {name: entry.raw for name in table.default_names() if (entry := table.default(name))}
        for table in (old.scope.table, new.scope.table)
    ]
    for name, before, after in changed_defaults(tables[0], tables[1]):
        is_set = name.casefold() in seen.defined or new.scope.table.get(name) is not None
        if is_set or after is None or (before is None and not _matters(name, after, old.version)):
            continue
        was = "(new)" if before is None else f"`{before}`"
        message = f"{_step(old, new)}: {name} {was} -> `{after}`"
        yield DEFAULT.at(message, None, 0, 0, _meaning(name))


def _matters(name: str, default: str, old: Version) -> bool:
    """Is a new macro a knob of the cycle whose default alone changes something?"""
    knob = KNOBS.get(name.casefold())
    if knob is None or not knob.honoured:
        return False
    return not (is_read(name, old) and knob.kind is not KnobKind.LIST) and (
        default.casefold() not in _NEUTRAL
    )


def _meaning(name: str) -> str | None:
    knob = KNOBS.get(name.casefold())
    said = knob.doc if knob is not None else (meanings().get(name) or ("",))[0]
    return said or None


def _values(old: Config, new: Config) -> Iterator[Diagnostic]:
    """Macros that templates and conditions set otherwise."""
    names: dict[str, str] = {}
    for config in (old, new):
        own = (entry for entry in config.scope.table if entry.origin != DETECTED_ORIGIN)
        names.update((entry.name.casefold(), entry.name) for entry in own)
    for name in sorted(names.values(), key=str.casefold):
        before, after = old.scope.table.get(name), new.scope.table.get(name)
        texts = ["nothing" if one is None else f"`{one.raw}`" for one in (before, after)]
        entry = after or before
        # A setting has the spelling of the default that it repeats.
        folded = [text if text.casefold() not in _TRUTHS else text.casefold() for text in texts]
        if folded[0] != folded[1] and entry is not None:
            who = "" if entry.template is None else f" by `use {entry.template.partition('+')[0]}`"
            message = f"{_step(old, new)}: {name} is set{who} to {texts[1]}, not {texts[0]}"
            yield VALUE.at(message, *_place(new if after else old, entry))


def _place(config: Config, entry: Definition) -> tuple[Source | None, int, int]:
    """Where the file sets a macro, or uses the template that does."""
    if entry.template is None:
        return entry.source, entry.start, max(entry.end, entry.start + 1)
    for source in config.texts:
        if source.name == entry.origin and entry.line is not None:
            lines = source.text.split("\n")
            start = sum(len(line) + 1 for line in lines[: entry.line - 1])
            return source, start, start + max(1, len(lines[entry.line - 1].rstrip()))
    return None, 0, 0


def _expressions(seen: View, old: Version) -> Iterator[Diagnostic]:
    """Expressions that the language of the new version treats otherwise."""
    new = seen.config.version
    rules = language_of(old), language_of(new)
    if rules[0] == rules[1]:
        return
    published = seen.slot_attributes
    for one in expressions_in(seen):
        known = partial(_has, published) if one.name.casefold() == "start" else None
        for change in changes_between(one.tree, *rules, names=_names(one), known=known):
            kind = STOPS if change.what in _STOPPING else MEANS
            message = f"{_step(old, new)}: {_said(one, change)}"
            yield one.say(kind, message, change.place, _advice(change))


def _has(published: frozenset[str], name: str) -> bool:
    """Does every slot have an attribute?"""
    found = find_attribute(name)
    always = found is not None and found.ads.get("slot") is Availability.ALWAYS
    return always or name in published


def _names(one: MacroExpression) -> list[str]:
    """The attributes under which an ad has the expression."""
    macro = one.setting.macro
    if one.part is not None:
        return [one.part.name.split()[-1]] if " " in one.part.name else []
    own = {name.casefold() for name in one.own_names} | _OF_SLOTS
    return [macro] if macro.casefold() in own else []


def _said(one: MacroExpression, change: Change) -> str:
    if change.what is What.TOO_DEEP:
        return (
            f"{one.name} is nested {change.levels - 1} operators deep and stops evaluating:"
            f" at most {MAX_DEPTH} are under way"
        )
    return f"{one.name}: `{one.shown(change.place)}`: {change.what.value}"


def _advice(change: Change) -> str | None:
    if change.what is What.TOO_DEEP:
        return "give parts of it attributes of their own, or ask a list: `member(X, {...})`"
    if change.what is What.REGROUPED:
        return "write `?:` without a blank, and parentheses around what belongs together"
    if change.what in (What.UNKNOWN_FUNCTION, What.KNOWN_FUNCTION):
        return "write it as documented: versionLE, versionGT, version_in_range, ..."
    if change.what in (What.KNOWN_COUNTS, What.KNOWN_FAILS):
        return "say what is meant if it is undefined: `ifThenElse(isUndefined(X), Y, X)`"
    return None


def _counting(seen: View, old: Version) -> Iterator[Diagnostic]:
    """Settings that the old version does not read."""
    new = seen.config.version
    for setting in seen.settings:
        macro, daemon = setting.macro, (setting.prefix or "").upper()
        if is_read(macro, old, daemon) or not is_read(macro, new, daemon):
            continue
        if not is_spoken_of(seen, setting):
            message = f"{_step(old, new)}: `{macro}` begins to count"
            yield COUNTS.named(setting.entry, message, f"{old} does not read it")
