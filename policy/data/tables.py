"""Reads the recorded tables that are installed with this package.

``defaults.json`` is the parameter table of HTCondor 25.14.1, ``parameters.json`` says what its
macros mean, ``readers.json`` who reads them, ``attributes.json`` describes attributes of ads, the
``programs.json`` has the names of programs that packages install, the
``.conf`` files hold templates; ``versions.json`` and ``templates-23.9.conf`` have what older
versions have otherwise.  The knobs of the negotiation cycle have no rows in the first two but in
``knobs.json``: ``policy.knobs`` makes declarations of them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pkgutil import get_data
from typing import Any

_TEMPLATES = ("policy.conf", "feature.conf", "other.conf")


def _text(name: str) -> str:
    data = get_data("policy", f"data/{name}")
    assert data is not None, name
    return data.decode("utf-8")


@cache
def parameter_rows() -> Mapping[str, list[str]]:
    """Default, type and range of macros, by the name that HTCondor spells."""
    rows: dict[str, list[str]] = json.loads(_text("defaults.json"))
    return rows


@cache
def knob_rows() -> Mapping[str, Mapping[str, Any]]:
    """The knobs of the negotiation cycle, by name: fields of ``policy.knobs.declaration.Knob``."""
    rows: dict[str, dict[str, Any]] = json.loads(_text("knobs.json"))
    return rows


@cache
def version_rows() -> Mapping[str, list[list[str] | str | None]]:
    """What 25.14.1, 25.0.13, 24.0.23 and 23.9.6 have of macros that are not the same in all.

    Each is a row, ``=`` for what the version before in this order has (25.14.1: its row), ``read``
    for a macro that is read and has no row, ``?`` if nothing is recorded, or None: it is not read.
    """
    rows: dict[str, list[list[str] | str | None]] = json.loads(_text("versions.json"))
    return rows


@cache
def programs() -> tuple[str, ...]:
    """The programs and plugins that packages of HTCondor install, now or once."""
    names: list[str] = json.loads(_text("programs.json"))
    return tuple(names)


@cache
def builtin_table() -> dict[str, list[str]]:
    """The same by case-folded name."""
    return {name.casefold(): row for name, row in parameter_rows().items()}


@cache
def meanings() -> dict[str, list[str]]:
    """Meaning, unit and reader of macros, by name.

    Macros that are in no parameter table, since only the programs know them, are here too.
    """
    rows: dict[str, list[str]] = json.loads(_text("parameters.json"))
    return rows


def spelling(macro: str) -> str:
    """A macro as ``meanings`` spells it; those that are not there stay as they are."""
    return _spellings().get(macro.casefold(), macro)


@cache
def _spellings() -> dict[str, str]:
    return {name.casefold(): name for name in meanings()}


@cache
def reload_rows() -> Mapping[str, tuple[str, str]]:
    """The daemons that were asked, and what they need to act by a new value, by macro.

    ``<n>`` is any number, ``<name>`` any name; what is needed is ``nothing``, ``reconfig`` or
    ``restart``.
    """
    rows: dict[str, tuple[str, str]] = json.loads(_text("reload.json"))
    return rows


@cache
def reader_rows() -> Mapping[str, list[str | float | None]]:
    """Kind, readers, those that a bad value ends, and range of macros, by name.

    The README beside the table says how the programs were asked.
    """
    rows: dict[str, list[str | float | None]] = json.loads(_text("readers.json"))
    return rows


@cache
def attribute_table() -> Mapping[str, list[str]]:
    """Type, unit, values and ads of attributes, by name (see ``policy.attributes``).

    Values: ``=A,B`` are all there are, ``~A,B`` the usual ones, ``0..9`` a range.  Ads: ``slot``
    always has it, ``slot?`` sometimes, ``slot:claimed`` while somebody uses the slot.
    """
    rows: dict[str, list[str]] = json.loads(_text("attributes.json"))
    return rows


@cache
def attribute_names() -> tuple[str, ...]:
    """Attributes that ads of jobs, slots and schedds usually have."""
    return tuple(attribute_table())


@cache
def folded_attribute_names() -> frozenset[str]:
    """The same, case-folded."""
    return frozenset(map(str.casefold, attribute_table()))


def template_texts() -> list[str]:
    """The files of configuration templates."""
    return list(map(_text, _TEMPLATES))


def older_template_texts() -> list[str]:
    """The templates that 23.9.6 has otherwise than 25.14.1."""
    return [_text("templates-23.9.conf")]
