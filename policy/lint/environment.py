"""Tells what in a configuration depends on variables of the environment that are not there.

A daemon has an environment of its own.  Unless somebody gives it, nobody knows what `$ENV(NAME)`
without a default is there, and nothing is said of what is made from it.
Inputs: ``Config``, findings.  Outputs: findings, names of variables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import chain
from typing import Final

from classad.errors import Diagnostic
from classad.patterns import late_regex
from policy.config import Config
from policy.language.about import about

#: What says of a value that it is none that the macro may have.
_OF_VALUES: Final = ("P110", "P111", "P112", "P113")
#: What says of a text that it is written in another way than it is meant.
_OF_WRITING: Final = late_regex("P10[2-9]|P115|P12[0-9]")
_REFERENCE: Final = "$ENV("
_INCLUDED: Final = late_regex(r"(?im)^[ \t]*include\b.*\$ENV\(.*")
#: What a reference to a variable that is not there expands to.
_UNDEFINED: Final = "UNDEFINED"


def is_known(config: Config) -> bool:
    """Did somebody say what the environment of the daemons is?"""
    return bool(config.scope.functions.environment)


def lacking(config: Config) -> Callable[[Diagnostic], list[str]]:
    """A function that tells the variables that a finding rests on the lack of."""
    texts = (source.text for source in config.texts)
    raw = (definition.raw for definition in config.scope.table)
    if is_known(config) or not any(_REFERENCE in text for text in chain(texts, raw)):
        return lambda found: []
    return partial(_missing, config)


def left_out(config: Config) -> list[str]:
    """The variables that say which files to include, where nobody says what they are."""
    if is_known(config):
        return []
    included = (one[0] for source in config.texts for one in _INCLUDED.finditer(source.text))
    return [name for text in included for name in config.scope.variables_in(text)]


def _missing(config: Config, found: Diagnostic) -> list[str]:
    if _OF_WRITING.fullmatch(found.id or ""):
        return []
    source, scope = found.source, config.scope
    text = "" if source is None else source.text[found.start : found.end]
    here = scope.variables_in(text)
    about_it = about(found)
    if here or about_it.circle:
        return here
    macro = about_it.macro or ("GROUP_NAMES" if about_it.group else "")
    entry = about_it.definition or (config.lookup(macro) if macro else None)
    if entry is not None and (found.id in _OF_VALUES or "$" in text or _UNDEFINED in text):
        return scope.variables_of(entry)
    needed = config.lookup(about_it.needs) if about_it.needs else None
    return [] if needed is None else scope.variables_of(needed)


def with_environment(
    lacks: Callable[[Diagnostic], list[str]], findings: Iterable[Diagnostic]
) -> tuple[list[Diagnostic], list[str]]:
    """The findings that do not rest on what the daemons' environment may have, and the variables
    that the others rest on."""
    left: list[Diagnostic] = []
    missing: dict[str, None] = {}
    for one in findings:
        names = lacks(one)
        missing.update(dict.fromkeys(names))
        if not names:
            left.append(one)
    return left, list(missing)


def note_environment(config: Config, findings: Sequence[Diagnostic]) -> None:
    """Say of a bad value that it is what the environment would give, where that has nothing."""
    for one in findings if is_known(config) else ():
        entry = about(one).definition
        if entry is None or one.id not in _OF_VALUES or about(one).circle:
            continue
        for name in config.scope.variables_of(entry)[:1]:
            one.message += f", as {name} is not in the environment"
            ends = f"; {one.help}" if one.help else ""
            one.help = f"give {name}, or a default: $ENV({name}:...){ends}"
