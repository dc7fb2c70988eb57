"""Says what JSON has of macros, of two policies and of user maps.

Inputs: values of ``policy``.  Outputs: documents.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from attr import field, frozen

from pieslice.reports.document import INLINE, Document, shape
from policy.explain.difference import Comparison, MacroSide
from policy.explain.settings import ListedMacro
from policy.knobs.parameters import Parameter
from policy.language.table import Definition
from policy.lint.finding import Finding
from policy.maps.user_maps import MapLine, Mapped
from policy.versions import Followed

shape(Definition, "raw file=origin line template")
shape(ListedMacro, "name value default =definition replaces")
shape(MapLine, "file line=number")
shape(Mapped, "name result groups group file=line.file line=line.number text=line.written beaten")
shape(Parameter, "name default type range unit meaning=doc read_by=reader")
shape(MacroSide, "value=text raw file=origin.file line=origin.line template=origin.template")


@frozen
class MacroListing(Document):
    """The macros of a configuration: values, where they were set, what they replace."""

    schema: ClassVar[str] = "pieslice/config/1"
    followed: Followed
    macros: Sequence[ListedMacro]


@frozen
class MacroInfo(Document):
    """What is known of macros: meaning, default, type."""

    schema: ClassVar[str] = "pieslice/config-info/1"
    followed: Followed
    macros: Sequence[Parameter]


@frozen
class PolicyDifference(Document):
    """What two policies differ in, macro by macro."""

    schema: ClassVar[str] = "pieslice/policy-diff/1"
    followed: Followed
    found: Comparison = field(metadata=INLINE)


@frozen
class MappedNames(Document):
    """What a user map makes of names."""

    schema: ClassVar[str] = "pieslice/map-test/1"
    names: Sequence[Mapped]


@frozen
class RuleListing(Document):
    """What ``pieslice check`` looks for."""

    schema: ClassVar[str] = "pieslice/rules/1"
    rules: Sequence[Finding]


shape(Finding, "id severity title doc observed bad good")
