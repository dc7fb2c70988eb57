"""Reads the transforms of a configuration, and runs them on jobs as the schedd does.

Inputs: a configuration as the schedd sees it, the ads of jobs.  Outputs: rules in their order,
what they made of a job, and why one is refused; the old syntax, an ad in brackets, as lines of
commands: the tools still turn it into them, the schedd and the router since 25 do not.
Follows: condor_schedd and condor_transform_ads 25.14.1 (vectors ``transforms``).
"""

from __future__ import annotations

from typing import Final

from classad.ads.ad import Ad
from classad.errors import ClassAdParseError
from classad.patterns import late_regex
from policy.config import Config
from policy.language.macros import ExpansionError
from policy.language.table import Definition
from policy.transforms.job import text_of
from policy.transforms.rules import Rules, rules_of_definition

_NAMES: Final = late_regex(r"[\s,]+")


def split_names(text: str) -> list[str]:
    """The items of a list of names."""
    return [name for name in _NAMES.split(text) if name]


def rules_of_macro(macro: str, name: str, config: Config, *, old: bool = False) -> Rules | None:
    """The rules that a macro holds, None where it has no value.

    ``old``: those in the old syntax are turned into commands, as the tools do.
    """
    definition = config.lookup(macro)
    if definition is None or not definition.raw.strip():
        return None
    rules = rules_of_definition(definition, name)
    if not (old and rules.is_old):
        return rules
    try:
        text = commands_of(config.expand(definition).text)
    except ExpansionError:
        text = None
    if text is None:
        return None
    return rules_of_definition(Definition(definition.name, text, definition.origin), name)


def rules_named(
    head: str, names: str, config: Config, *, old: bool = False
) -> tuple[list[Rules], list[str]]:
    """The rules of a list of names, and the names that no macro belongs to."""
    found, missing = [], []
    for name in split_names(names):
        rules = rules_of_macro(f"{head}{name}", name, config, old=old)
        if rules is None:
            missing.append(name)
        else:
            found.append(rules)
    return found, missing


#: What an attribute of the ad begins with, and the command that it is, in the order they are run.
_COMMANDS: Final = (
    ("copy_", "COPY"), ("delete_", "DELETE"), ("set_", "SET"), ("eval_set_", "EVALSET"),
)  # fmt: skip


def commands_of(text: str) -> str | None:
    """The commands that an ad in brackets stands for; None if it does not parse."""
    from classad.formats.new import read_new

    try:
        ads = list(read_new(text, new=Ad, errors="strict"))
    except ClassAdParseError:
        return None
    return _commands(ads[0]) if ads else None


def _commands(ad: Ad) -> str:
    lines = []
    requirements = ad.raw("Requirements")
    if requirements is not None:
        lines.append(f"REQUIREMENTS {text_of(requirements)}")
    for head, command in _COMMANDS:
        for name in ad.names():
            if name.lower().startswith(head):
                lines.append(_line(command, name[len(head) :], ad.raw(name)))
    return "\n".join(lines)


def _line(command: str, name: str, value: object) -> str:
    if command == "DELETE":
        return f"DELETE {name}"
    if command == "COPY":
        return f"COPY {name} {value}"
    return f"{command} {name} {text_of(value)}"
