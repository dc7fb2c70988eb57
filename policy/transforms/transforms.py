"""Reads the transforms of a configuration, and runs them on jobs as the schedd does.

Inputs: a configuration as the schedd sees it, the ads of jobs.  Outputs: rules in their order,
what they made of a job, and why one is refused.
Follows: condor_schedd 25.14.1 (vectors ``transforms``, kind ``schedd``).
"""

from __future__ import annotations

import re
from typing import Final

from policy.config import Config
from policy.language.macros import ExpansionError
from policy.language.table import Definition
from policy.transforms.old_syntax import commands_of
from policy.transforms.rules import Rules, rules_of_definition

_NAMES: Final = re.compile(r"[\s,]+")


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
