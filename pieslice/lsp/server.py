"""Keeps what is open in an editor, has it checked, and says what was found.

A check runs in a thread, and a newer one makes an older one worthless; what it needs is imported
there, so that an editor is greeted at once.
Inputs: texts, settings.  Outputs: findings; configurations as they were read last.
"""

from __future__ import annotations

import gc
import os
from asyncio import AbstractEventLoop, TimerHandle
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

from pieslice.lsp.checking import Checker
from pieslice.lsp.protocol import EditorProtocol
from pieslice.lsp.settings import EditorSettings, is_ads
from policy.editing.positions import Positions

if TYPE_CHECKING:
    from pieslice.lsp.lens import PoolLens
    from pieslice.lsp.project import CheckedConfig
    from policy.editing.hovers import Ads


#: Seconds after a check in which nothing changes, before garbage is searched for.
_PAUSE: Final = 2.0
#: How many more objects there may be than after the last search, whatever is done.
_MANY_OBJECTS: Final = 1_000_000


class Server(LanguageServer):  # type: ignore[misc]
    """What is open in an editor, and what is known of it."""

    def __init__(self, version: str) -> None:
        super().__init__("pieslice", version, protocol_cls=EditorProtocol)
        self.settings = EditorSettings()
        self.texts: dict[str, str] = {}
        self.uris: dict[str, str] = {}
        self.ads: dict[str, bool] = {}
        self.checks: dict[str, CheckedConfig] = {}
        self.published: dict[str, set[str]] = {}
        self.counted: Ads = {}
        self.checker, self.lenses = Checker(), Checker()
        self.lens: PoolLens | None = None
        #: What an edit changes in the pool, by the root of its configuration.
        self.changes: dict[str, str] = {}
        self.loop: AbstractEventLoop | None = None
        self.shown = ""
        self.has_checked = False
        #: The next search for garbage.
        self.search: TimerHandle | None = None

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
        if self.search is not None:
            self.search.cancel()
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
        from pieslice.lsp.project import check
        from pieslice.lsp.shown import marks_of

        try:
            found = check(path, self.settings, self.folders, unsaved)
            marks = marks_of(found)
        except Exception as problem:
            self.tell(partial(self.show, f"{path}: {in_one_line(problem)}"))
            return
        self.tell(partial(self._checked, key, found, marks))
        if not self.has_checked:  # what the first check has made ready
            self.has_checked = True
            spare_what_stays()
            # Nothing is answered meanwhile, and from now on it is searched for in pauses.
            gc.disable()
        elif gc.get_count()[0] > _MANY_OBJECTS:
            gc.collect()
        self.tell(self._search_in_a_pause)

    def _search_in_a_pause(self) -> None:
        if self.search is not None:
            self.search.cancel()
        if self.loop is not None:
            self.search = self.loop.call_later(_PAUSE, gc.collect)

    def _check_ads(self, path: str, text: str) -> None:
        from pieslice.lsp.shown import ad_marks

        marks = ad_marks(text, path)
        if self.texts.get(path) == text:
            self.tell(partial(self._publish, path, marks))

    def tell(self, done: Callable[[], object]) -> None:
        """Have something done in the loop of the server."""
        if self.loop is not None and not self.loop.is_closed():
            self.loop.call_soon_threadsafe(done)

    def _checked(
        self, key: str, found: CheckedConfig, marks: dict[str, list[types.Diagnostic]]
    ) -> None:
        """Take the outcome of a check; it is shown unless another one is due."""
        for path in (key, *found.paths):
            self.checks[path] = found
        if not self.checker.is_newest(key):
            return
        if found.problem:
            self.show(found.problem)
        before = self.published.get(found.root, set())
        self.published[found.root] = {path for path, several in marks.items() if several}
        for path in {*marks, *before}:
            if path in self.texts or marks.get(path) or path in before:
                self._publish(path, marks.get(path, []))
        if self.lens is not None:
            self.lenses.submit("", partial(self._look, self.lens, found, frozenset(self.texts)), 0)

    def _look(self, lens: PoolLens, found: CheckedConfig, edited: frozenset[str]) -> None:
        from pieslice.api.errors import Cancelled

        try:
            said = lens.said(found, edited, lambda: not self.lenses.is_newest(""))
        except Cancelled:
            return
        except Exception as problem:
            said = in_one_line(problem)
        self.changes[found.root] = said
        capabilities = self.client_capabilities.workspace
        if capabilities and capabilities.code_lens and capabilities.code_lens.refresh_support:
            self.tell(partial(self.workspace_code_lens_refresh, None))

    def _publish(self, path: str, marks: list[types.Diagnostic]) -> None:
        uri = self.uri_of(path)
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, marks))

    def uri_of(self, path: str) -> str:
        """The address of a file, as its editor has it."""
        return self.uris.get(path) or from_fs_path(path) or path

    def show(self, text: str) -> None:
        """Show a warning, unless it was the last one already."""
        if text == self.shown:
            return
        self.shown = text
        kind = types.MessageType.Warning
        self.window_show_message(types.ShowMessageParams(type=kind, message=text))


def spare_what_stays() -> None:
    """No search for garbage goes through what is there now again, 50 ms each time."""
    gc.collect()
    gc.freeze()


def path_of(uri: str) -> str:
    """The full path of an address; of one that is of no file a path that none has."""
    path = to_fs_path(uri) if uri.startswith("file:") else None
    return os.path.abspath(path or f"/{uri}")


def in_one_line(problem: Exception) -> str:
    return " ".join(str(problem).split())[:300] or type(problem).__name__
