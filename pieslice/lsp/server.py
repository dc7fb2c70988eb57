"""Keeps what is open in an editor, has it checked, and says what was found.

A check runs in a thread, and a newer one makes an older one worthless.
Inputs: texts, settings.  Outputs: diagnostics; a configuration for each question, as it was read
last, with the text as it is now.
"""

from __future__ import annotations

import os
from asyncio import AbstractEventLoop
from collections.abc import Callable
from functools import partial

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

from classad.errors import Diagnostic, Edit, LimitError
from classad.source import Source
from pieslice.lsp import shown
from pieslice.lsp.checking import Checker
from pieslice.lsp.project import Checked, Settings, check, check_ads, is_ads, read
from pieslice.lsp.protocol import EditorProtocol, Failed
from policy.editing.actions import place_of
from policy.editing.hovers import NO_ADS, Ads
from policy.editing.names import Place
from policy.editing.positions import Positions


class Server(LanguageServer):  # type: ignore[misc]
    """What is open in an editor, and what is known of it."""

    def __init__(self, version: str) -> None:
        super().__init__("pieslice", version, protocol_cls=EditorProtocol)
        self.settings = Settings()
        self.texts: dict[str, str] = {}
        self.uris: dict[str, str] = {}
        self.ads: dict[str, bool] = {}
        self.checks: dict[str, Checked] = {}
        self.published: dict[str, set[str]] = {}
        self.counted: Ads = NO_ADS
        self.checker = Checker()
        self.loop: AbstractEventLoop | None = None

    def report_server_error(self, error: Exception, source: object) -> None:
        """Answer what is no message at all; the rest is answered where it was asked."""
        if isinstance(error, ValueError):
            self.protocol.refuse_unreadable()

    # --- texts ------------------------------------------------------------------------------------

    def opened(self, document: types.TextDocumentItem) -> None:
        """Take the text of a file that an editor has opened."""
        path = path_of(document.uri)
        self.texts[path], self.uris[path] = document.text, document.uri
        self.ads[path] = is_ads(path, document.language_id)
        self.schedule(path, pause=0.0)

    def changed(self, uri: str, changes: list[types.TextDocumentContentChangeEvent]) -> None:
        """Carry out changes; what lies beyond the text is cut."""
        path = path_of(uri)
        text = self.texts.get(path, "")
        for change in changes:
            where = getattr(change, "range", None)
            if where is None:
                text = change.text
                continue
            positions = Positions(text)
            start = positions.offset(where.start.line, where.start.character)
            end = positions.offset(where.end.line, where.end.character)
            text = text[:start] + change.text + text[max(start, end) :]
        self.texts[path] = text
        self.schedule(path)

    def closed(self, uri: str) -> None:
        """Forget a text; what was said of it is withdrawn, unless another open file needs it."""
        path = path_of(uri)
        self.texts.pop(path, None)
        self.ads.pop(path, None)
        self._publish(path, [])
        checked = self.checks.pop(path, None)
        others = [one for one in self.texts if checked and one in checked.paths]
        if others:
            self.schedule(others[0])
        elif checked is not None:
            for other in self.published.pop(checked.root, set()):
                self._publish(other, [])

    @property
    def folders(self) -> list[str]:
        """The folders that are open in the editor."""
        known = [path_of(uri) for uri in self.workspace.folders]
        root = self.workspace.root_path
        return known or ([root] if root else [])

    # --- checks -----------------------------------------------------------------------------------

    def schedule(self, path: str, **pause: float) -> None:
        """Check the configuration of a file as soon as nothing changes any more."""
        if self.ads.get(path):
            job = partial(self._check_ads, path, self.texts[path])
            self.checker.submit(path, job, **pause)
            return
        known = self.checks.get(path)
        key = known.root if known is not None else path
        unsaved = dict(self.texts)
        self.checker.submit(key, partial(self._check, key, path, unsaved), **pause)

    def everything_again(self) -> None:
        """Check all that is open: settings or files on disk are others."""
        self.checks.clear()
        for path in list(self.texts):
            self.schedule(path)

    def _check(self, key: str, path: str, unsaved: dict[str, str]) -> None:
        try:
            found = check(path, self.settings, self.folders, unsaved)
        except Exception as problem:
            self.tell(partial(self.show, f"{path}: {in_one_line(problem)}"))
            return
        self.tell(partial(self.checked, key, found))

    def _check_ads(self, path: str, text: str) -> None:
        try:
            found = check_ads(text, path)
        except (LimitError, RecursionError, ValueError) as problem:
            found = [Diagnostic(in_one_line(problem), Source(text, path))]
        marks = [shown.diagnostic(one, _by_lines(one, text)) for one in found]
        if self.texts.get(path) == text:
            self.tell(partial(self._publish, path, marks))

    def tell(self, done: Callable[[], object]) -> None:
        if self.loop is not None and not self.loop.is_closed():
            self.loop.call_soon_threadsafe(done)

    def checked(self, key: str, found: Checked) -> None:
        """Take the outcome of a check; it is shown unless another one is due."""
        for path in (key, *found.paths):
            self.checks[path] = found
        if not self.checker.is_newest(key):
            return
        marks: dict[str, list[types.Diagnostic]] = {path: [] for path in found.paths}
        positions = {one.name: (one.text, Positions(one.text)) for one in found.config.texts}
        for one in found.findings:
            place = place_of(one)
            path = os.path.abspath(found.root if place is None else place.source.name)
            where = shown.range_of(Positions(""), 0, 0)
            if place is not None:
                text, known = positions.get(place.source.name, ("", Positions("")))
                known = known if text == place.source.text else Positions(place.source.text)
                where = shown.range_of(known, place.start, place.end)
            marks.setdefault(path, []).append(shown.diagnostic(one, where))
        before = self.published.get(found.root, set())
        self.published[found.root] = {path for path, several in marks.items() if several}
        for path in {*marks, *before}:
            if path in self.texts or marks.get(path) or path in before:
                self._publish(path, marks.get(path, []))

    def _publish(self, path: str, marks: list[types.Diagnostic]) -> None:
        uri = self.uri_of(path)
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, marks))

    def uri_of(self, path: str) -> str:
        """The address of a file, as its editor has it."""
        return self.uris.get(path) or from_fs_path(path) or path

    def show(self, text: str) -> None:
        """Show a warning."""
        kind = types.MessageType.Warning
        self.window_show_message(types.ShowMessageParams(type=kind, message=text))

    # --- questions --------------------------------------------------------------------------------

    def at(self, uri: str) -> tuple[Checked, Source, Positions]:
        """The configuration of a file, and its text as it is now."""
        path = path_of(uri)
        text = self.texts.get(path)
        if text is None:
            raise Failed(f"{path} is not open")
        checked = self.checks.get(path)
        if checked is None:
            checked = self.checks[path] = read(path, self.settings, self.folders, self.texts)
        return checked, Source(text, checked.source_name(path)), Positions(text)

    def spot(
        self, params: types.TextDocumentPositionParams
    ) -> tuple[Checked, Source, Positions, int]:
        """The same with the offset of a position."""
        checked, source, positions = self.at(params.text_document.uri)
        return (
            *(checked, source, positions),
            positions.offset(params.position.line, params.position.character),
        )

    def location(self, place: Place) -> types.Location:
        """A place in a file."""
        where = shown.range_of(Positions(place.source.text), place.start, place.end)
        return types.Location(self.uri_of(os.path.abspath(place.source.name)), where)

    def edit(self, several: list[Edit]) -> types.WorkspaceEdit:
        """Edits of files."""
        changes: dict[str, list[types.TextEdit]] = {}
        for one in several:
            place = self.location(Place(one.source, one.start, one.end))
            changes.setdefault(place.uri, []).append(types.TextEdit(place.range, one.text))
        return shown.edits(changes)


def path_of(uri: str) -> str:
    """The full path of an address; the address itself where it is that of no file."""
    path = to_fs_path(uri) if uri.startswith("file:") else None
    return os.path.abspath(path) if path else uri


def in_one_line(problem: Exception) -> str:
    return " ".join(str(problem).split())[:300] or type(problem).__name__


def _by_lines(found: Diagnostic, text: str) -> types.Range:
    """Where a finding is whose source is a part of a text."""
    lines = Positions(text)
    start = lines.offset((found.line or 1) - 1, (found.column or 1) - 1)
    return shown.range_of(lines, start, min(len(text), start + max(1, found.end - found.start)))
