"""Checks the policy that is edited, and tells an editor what it asks: in a process of its own.

Inputs: the files of a pool, texts from the page.  Outputs: plain values for JSON.
"""

from __future__ import annotations

from collections.abc import Sequence

from classad.errors import Diagnostic
from pieslice.data import JsonObject
from pieslice.inputs.pool import PoolReading
from pieslice.lab.sharing.saving import difference, save
from pieslice.lab.texts import EditedTexts, PolicyFiles, called, span
from pieslice.policies.checked import of_all
from policy.config import Config
from policy.editing.completions import completions
from policy.editing.hovers import hover
from policy.editing.knobs import ShownKnob, shown_knobs
from policy.editing.positions import Positions
from policy.explain.roles import host_of
from policy.lint.verdict import examine
from policy.versions import Version


class TextChecks:
    """The questions about a configuration, without its pool."""

    def __init__(self, reading: PoolReading, now: float, version: Version) -> None:
        self._files = PolicyFiles.of(reading, now, version)
        self._last: tuple[EditedTexts, Config] | None = None
        #: Of the text that was checked last.
        self._findings: Sequence[Diagnostic] = ()

    def check(self, texts: EditedTexts) -> JsonObject:
        """Verdicts on the daemons, and findings."""
        if not self._files.checkable:
            return {"checked": False}
        config = self._config(texts)
        found = examine(config)
        self._findings = found.findings
        verdicts = of_all(host_of(config), found.verdicts) if config.complete else found.verdicts
        return {
            "checked": True,
            "starts": found.starts,
            "verdicts": [{"text": called(one.text), "starts": one.starts} for one in verdicts],
            "findings": self._files.marks(found.findings),
        }

    def knobs(self, texts: EditedTexts, every: bool = False) -> list[JsonObject]:
        """The knobs of the negotiator that matter, or all, with what they are changed by."""
        if not self._files.checkable:
            return []
        config = self._config(texts)
        return [self._knob(one) for one in shown_knobs(config, self._findings, every=every)]

    def _knob(self, knob: ShownKnob) -> JsonObject:
        row: JsonObject = {
            "name": knob.name, "control": knob.control, "doc": knob.doc, "unit": knob.unit,
            "default": knob.default, "value": knob.value, "acts": knob.acts, "why": knob.why,
            "range": knob.range and [knob.range.low, knob.range.high, knob.range.step],
        }  # fmt: skip
        definition = None if knob.macro is None else knob.macro.definition
        if definition is not None and definition.source is not None:
            file = self._files.name_of(definition.source)
            line = Positions(definition.source.text).position(definition.start)[0]
            row |= {"file": file, "line": line}
        return row

    def difference(self, texts: EditedTexts, overlay: str) -> JsonObject:
        """What differs from the files as they were read; ``overlay``: the name of a file for it."""
        self._files.edited(texts)
        return {"diff": difference(self._files.contents, texts, overlay)}

    def save(self, texts: EditedTexts, folder: str, overlay: str) -> JsonObject:
        """Write new files, and none in the place of another."""
        self._files.edited(texts)
        return {"files": save(texts, folder, overlay)}

    def hover(self, texts: EditedTexts, file: str, line: int, column: int) -> JsonObject | None:
        """What is known of the word at a place."""
        config = self._config(texts)
        source = self._files.source(config, file)
        if source is None:
            return None
        positions = Positions(source.text)
        found = hover(config, source, positions.offset(line, column))
        if found is None:
            return None
        return {
            **span(positions, found.start, found.end),
            "heading": found.heading,
            "text": found.text,
            "facts": [[label, called(text)] for label, text in found.facts],
            "example": list(found.example),
        }

    def complete(self, texts: EditedTexts, file: str, line: int, column: int) -> JsonObject | None:
        """What may be written at a place."""
        config = self._config(texts)
        source = self._files.source(config, file)
        if source is None:
            return None
        positions = Positions(source.text)
        found = completions(config, source, positions.offset(line, column))
        return {
            **span(positions, found.start, found.end),
            "more": found.more,
            "proposals": [
                {"text": one.text, "sort": one.sort, "detail": one.detail}
                for one in found.proposals
            ],
        }

    def _config(self, texts: EditedTexts) -> Config:
        if self._last is None or self._last[0] != texts:
            self._last = texts, self._files.config(texts)
        return self._last[1]
