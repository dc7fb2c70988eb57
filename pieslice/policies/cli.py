"""Adds the commands on configurations: ``check``, ``rules``, ``config``, ``map`` and ``policy``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pieslice.policies import check, config, maps, policies, rules

if TYPE_CHECKING:
    from pieslice.command_line import Subcommands


def add_commands(subcommands: Subcommands) -> None:
    """Add them all."""
    for module in (check, rules, config, maps, policies):
        module.add_commands(subcommands)
