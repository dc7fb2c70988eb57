"""Declares what an editor may set; imports nothing that takes long.

Inputs: values of JSON.  Outputs: ``EditorSettings``, complaints.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from attr import field, fields, frozen

from pieslice.inputs.configuration import ConfigurationReader

#: Where the packages of HTCondor have the configuration.
_FOLDER: Final = ConfigurationReader().installed_at
#: Ends of names of files with ads or an expression.
_ADS: Final = (".ad", ".ads", ".classad")


@frozen
class EditorSettings:
    """What an editor may set, by the names that it has there."""

    root: str = ""
    subsystem: str = ""
    local_name: str = field(default="", metadata={"name": "localName"})
    pool: str = ""
    installed_at: str = field(default=_FOLDER, metadata={"name": "installedAt"})
    outside_includes: bool = field(default=False, metadata={"name": "outsideIncludes"})


def settings_of(values: object) -> tuple[EditorSettings, list[str]]:
    """EditorSettings, and what is wrong with what an editor has sent for them."""
    if not isinstance(values, Mapping):
        wrong = [] if values is None else ["the settings of pieslice are no object"]
        return EditorSettings(), wrong
    known = {one.metadata.get("name", one.name): one for one in fields(EditorSettings)}
    found: dict[str, str | bool] = {}
    wrong = []
    for name, value in values.items():
        one = known.get(name)
        if one is None:
            wrong.append(f"there is no setting pieslice.{name}; there are {', '.join(known)}")
        elif value is not None and type(value) is not type(one.default):
            kind = "true or false" if isinstance(one.default, bool) else "a text"
            wrong.append(f"pieslice.{name} is to be {kind}")
        elif value is not None:
            found[one.name] = value
    return EditorSettings(**found), wrong  # type: ignore[arg-type]


def is_ads(path: str, language: str) -> bool:
    """Is it a file of ads, or of one expression?"""
    return language == "classad" or path.endswith(_ADS)
