"""Recognises the recorded cases about configurations and takes their files apart.

A program that a recorded configuration starts, ``echo``, is stood in for, so that a vector file
cannot run anything.  Follows the README beside the vectors; ``replay`` computes a case again.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import PurePosixPath
from typing import Final

from pieslice.data import Content
from policy.data.tables import builtin_table, parameter_rows
from policy.history import builtin_rows
from policy.io import builtin_library
from policy.knobs import KNOBS
from policy.versions import NEWEST, parse_version
from tests.conform.configuration.replay import CASE_FIELDS, Setup, check_case
from tests.conform.runner import Case, Kind, Mismatch

#: Fields of a row of the parameter table.  ``used_by`` names files of HTCondor's source and is
#: not compared: nothing here depends on it.
_ROW: Final = frozenset(("id", "default", "type", "range", "used_by", "condor_version"))

#: The version in what a recorded file says of the tool that it is from.
_VERSION: Final = re.compile(r"\d+\.\d+\.\d+")


@cache
def _setup(version: str) -> Setup:
    return Setup(builtin_library(parse_version(version)), builtin_table(), stand_in)


def _version(content: Content) -> str:
    """The version that a file of cases is about: that of the tool that answered."""
    said = _VERSION.search(str(content.get("tool", ""))) if isinstance(content, dict) else None
    return str(NEWEST) if said is None else said[0]


def stand_in(command: str) -> str | None:
    """What a recorded program printed; None for one that does not exist."""
    words = shlex.split(command)
    name = PurePosixPath(words[0]).name if words else ""
    if name == "echo":
        return " ".join(words[1:]) + "\n"
    return "" if name in ("true", "false") else None


def _replayed(format_name: str) -> Callable[[Case], list[Mismatch]]:
    def check(case: Case) -> list[Mismatch]:
        setup = _setup(case.get("condor_version", str(NEWEST)))
        return [Mismatch(*found) for found in check_case(format_name, case, setup)]

    return check


def _listed(format_name: str) -> Callable[[Content], Iterable[Case] | None]:
    """Takes apart the files of a format that lists its cases."""

    def cases(content: Content) -> Iterable[Case] | None:
        is_ours = isinstance(content, dict) and content.get("format") == format_name
        if not is_ours:
            return None
        version = _version(content)
        cases: Iterable[Case] = content.get("cases", ())
        if version == str(NEWEST):
            return cases
        return ({**case, "condor_version": version} for case in cases)

    return cases


def _with_fields(*fields: str) -> Callable[[Case], bool]:
    return lambda case: all(field in case for field in fields)


def _default_cases(content: Content) -> Iterable[Case] | None:
    """One case per macro of the parameter table of a version, which the tool that said it names."""
    if not isinstance(content, dict) or content.get("format") != "config-defaults/1":
        return None
    of_all = {"condor_version": _version(content)}
    return [{"id": name, **of_all, **row} for name, row in content["params"].items()]


def _check_default(case: Case) -> list[Mismatch]:
    """The default, and for macros that are no knobs type and range too."""
    name, version = case["id"], parse_version(case.get("condor_version", str(NEWEST)))
    found = []
    actual = builtin_library(version).defaults.get(name)
    if actual != case["default"]:
        found.append(Mismatch("default", case["default"], actual))
    if name.casefold() in KNOBS:
        return found
    row = builtin_rows(version, parameter_rows()).get(name, [])
    for field, value in (("type", "".join(row[1:2])), ("range", row[2:])):
        expected = case.get(field) or type(value)()
        if value != expected:
            found.append(Mismatch(field, expected, value))
    return found


def _template_cases(content: Content) -> Iterable[Case] | None:
    if not isinstance(content, dict) or content.get("format") != "metaknob-index/1":
        return None
    return _templates(content["categories"])


def _templates(categories: dict[str, dict[str, list[str]]]) -> Iterator[Case]:
    """One case per template; what it expands to is in the cases that ``shown_by`` names."""
    for category, names in categories.items():
        for name, shown_by in names.items():
            yield {"id": f"{category}:{name}", "template": name, "shown_by": shown_by}


def _check_template(case: Case) -> list[Mismatch]:
    category, _, name = case["id"].partition(":")
    template = builtin_library().templates.find(category, name)
    actual = None if template is None else f"{template.category}:{template.name}"
    return [] if actual == case["id"] else [Mismatch("template", case["id"], actual)]


def _replay_kind(name: str, format_name: str, *fields: str) -> Kind:
    return Kind(
        name,
        _with_fields(*fields),
        _replayed(format_name),
        CASE_FIELDS[format_name],
        _listed(format_name),
    )


CONFIG_KINDS: Final = (
    _replay_kind("configuration", "config-vectors/1", "files", "expect"),
    _replay_kind("user map", "usermap-vectors/1", "map", "map_name"),
    _replay_kind("negotiator start", "negotiator-startup/1", "config", "starts"),
    Kind("parameter default", _with_fields("default"), _check_default, _ROW, _default_cases),
    Kind(
        "template",
        _with_fields("template", "shown_by"),
        _check_template,
        frozenset(("id", "template", "shown_by")),
        _template_cases,
    ),
)
