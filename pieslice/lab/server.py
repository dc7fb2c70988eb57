"""Serves the page of a laboratory to the browser of the one who started it, and nobody else.

The address has a random token, which becomes a cookie that scripts cannot read; requests for
another host (another name of this machine, which a page elsewhere may have rebound) and from other
pages are refused; what asks for work needs a header that no form of another page can send.

Without a pool the page is one on which files are dropped (``desk.py``), until they are opened.

Inputs: two workers or a desk, the port.  Outputs: a Starlette application.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import secrets
from collections.abc import Awaitable, Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pieslice.data import Content, Record
from pieslice.lab.desk import Desk
from pieslice.lab.dropped import TooMuch
from pieslice.lab.export import WEB, template
from pieslice.lab.texts import EditedTexts
from pieslice.lab.worker import Gone, Outdated, Refused, Workers
from pieslice.reports.pages import palette

#: What every request that asks for work has: no form and no simple request of a page can send it.
HEADER: Final = "x-pieslice-lab"
#: Bytes of a request.
MOST: Final = 8 << 20
#: Bytes from which an answer is compressed: a page of 100,000 slots is 8 MB of names and numbers.
_LARGE: Final = 4096
_KINDS: Final = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
#: What is made of other files.
_MADE: Final = {
    "colours.css": (palette, _KINDS[".css"]),
    "exported.html": (template, "text/html; charset=utf-8"),
}
#: Where a request of our own page, or of somebody who types the address, comes from.
_OWN_SITES: Final = ("", "none", "same-origin")
_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{}'; img-src 'self' data:; "
    "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)
_ALWAYS: Final = {
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


class Lab:
    """What the requests of a page are answered with; workers that have ended are started again."""

    def __init__(
        self,
        start: Callable[[], Workers] | None,
        port: int,
        *,
        desk: Desk | None = None,
        words: Sequence[str] = ("POOL",),
        overlay: str = "",
    ) -> None:
        """``start``: workers that are ready; None where a pool is put together on ``desk``.

        ``words``: what names the pool on a command line; ``overlay``: the text to begin with.
        """
        self.words: Final = tuple(words)
        self.overlay: Final = overlay
        self.port: Final = port
        self.token: Final = secrets.token_urlsafe(24)
        self.cookie: Final = f"pieslice_lab_{port}"
        self.desk: Final = desk
        #: The number of the pool that is open, 0 for none: pages of another one ask in vain.
        self.pool = 0
        self._last = 0
        self._start = start
        self._workers: Workers | None = None
        self._starting = asyncio.Lock()
        if start is not None:
            self._begin(start)
        elif desk is not None:
            desk.prepare()

    @property
    def address(self) -> str:
        """What opens the page; it has the token."""
        return f"http://127.0.0.1:{self.port}/?token={self.token}"

    @property
    def hosts(self) -> tuple[str, ...]:
        """The names under which it may be asked."""
        return tuple(f"{name}:{self.port}" for name in ("127.0.0.1", "localhost", "[::1]"))

    @property
    def workers(self) -> Workers:
        """The processes that work; raises ``Refused`` where no pool is open."""
        if self._workers is None:
            raise Refused("no pool is open")
        return self._workers

    def close(self) -> None:
        """End the workers, and remove what was dropped."""
        self._end()
        if self.desk is not None:
            self.desk.close()

    async def open(self, what: str) -> None:
        """Open the pool that was put together; raises ``Refused`` or ``Gone``."""
        desk = self.board()
        async with self._starting:
            reading = await asyncio.to_thread(desk.reading, what)
            self._end()
            try:
                await asyncio.to_thread(self._begin, lambda: desk.start(reading))
            except (Refused, Gone):
                await asyncio.to_thread(desk.prepare)
                raise

    async def leave(self) -> None:
        """Close the pool; what was dropped is there again."""
        desk = self.board()
        async with self._starting:
            self._end()
            await asyncio.to_thread(desk.prepare)

    def board(self) -> Desk:
        """Where a pool is put together; raises ``Refused`` where one was given."""
        if self.desk is None:
            raise Refused("the pool is that of the command line: start another laboratory")
        return self.desk

    def _begin(self, start: Callable[[], Workers]) -> None:
        self._workers = start()
        self._start = start
        self._last += 1
        self.pool = self._last

    def _end(self) -> None:
        for one in self._workers or ():
            one.close()
        self._workers, self._start, self.pool = None, None, 0

    def admits(self, token: str) -> bool:
        """Whether it is the token."""
        return hmac.compare_digest(token.encode(), self.token.encode())

    async def ask(self, which: int, method: str, *arguments: object, lane: str = "") -> Content:
        """What a worker answers."""
        async with self._starting:
            if self._start is not None and not all(one.alive for one in self.workers):
                for one in self.workers:
                    one.close()
                self._workers = await asyncio.to_thread(self._start)
        return await self.workers[which].ask(method, *arguments, lane=lane)


def application(lab: Lab) -> Starlette:
    """The application; its routes are all there is."""
    routes = [
        Route("/", _page),
        Route("/web/{name}", _asset),
        Route("/api/pool", _answered(_pool)),
        Route("/api/files", _answered(_files)),
        Route("/api/drop", _said(_drop), methods=["POST"]),
        *(
            Route(f"/api/{name}", _answered(do), methods=["POST"])
            for name, do in (
                ("edit", _edit), ("follow", _follow), ("suggest", _suggest), ("why", _why),
                ("check", _check), ("export", _export),
                ("hover", _at("hover")), ("complete", _at("complete")),
                ("paste", _paste), ("forget", _forget), ("open", _open), ("leave", _leave),
            )
        ),
    ]  # fmt: skip
    app = Starlette(routes=routes)
    app.state.lab = lab
    app.add_middleware(GZipMiddleware, minimum_size=_LARGE, compresslevel=1)
    app.add_middleware(_Guard, lab=lab)
    return app


class _Guard:
    """Refuses what does not come from the page, and marks all answers as for it alone."""

    def __init__(self, app: ASGIApp, lab: Lab) -> None:
        self._app, self._lab = app, lab

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        nonce = scope["nonce"] = secrets.token_urlsafe(16)

        async def marked(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers["content-security-policy"] = _POLICY.format(nonce)
                for name, value in _ALWAYS.items():
                    headers[name] = value
            await send(message)

        refused = self._refused(scope)
        await (refused or self._app)(scope, receive, marked)

    def _refused(self, scope: Scope) -> Response | None:
        headers, lab = Headers(scope=scope), self._lab
        if headers.get("host", "") not in lab.hosts:
            return PlainTextResponse(f"this is {lab.hosts[0]}, and no other host", 421)
        origin = headers.get("origin")
        foreign = origin is not None and origin not in {f"http://{host}" for host in lab.hosts}
        if foreign or headers.get("sec-fetch-site", "") not in _OWN_SITES:
            return PlainTextResponse("a request from another page", 403)
        request = Request(scope)
        if scope["path"] == "/" and lab.admits(request.query_params.get("token", "")):
            return None
        if not lab.admits(request.cookies.get(lab.cookie, "")):
            text = "open the address that `pieslice lab` has printed: it has a token"
            return PlainTextResponse(text, 403)
        if scope["method"] not in ("GET", "HEAD") and HEADER not in headers:
            return PlainTextResponse(f"the header {HEADER} is missing", 403)
        return None


# --- the page -------------------------------------------------------------------------------------


async def _page(request: Request) -> Response:
    lab: Lab = request.app.state.lab
    if "token" in request.query_params:
        away = RedirectResponse("/", 303)
        away.set_cookie(lab.cookie, lab.token, httponly=True, samesite="strict")
        return away
    page = _read("page.html" if lab.pool else "start.html")
    filled = {"nonce": request.scope["nonce"], "pool": str(lab.pool or ""),
              "again": "1" if lab.desk is not None else ""}  # fmt: skip
    for name, text in filled.items():
        page = page.replace(f"{{{name}}}", text)
    return Response(page, media_type="text/html")


async def _asset(request: Request) -> Response:
    name = request.path_params["name"]
    if name in _MADE:
        make, kind = _MADE[name]
        return Response(make(), media_type=kind)
    if name not in _names():
        raise HTTPException(404)
    return Response(_read(name), media_type=_KINDS[Path(name).suffix])


@cache
def _names() -> frozenset[str]:
    return frozenset(one.name for one in WEB.iterdir() if one.suffix in _KINDS)


def _read(name: str) -> str:
    """As it is now: who changes the page reloads it."""
    return (WEB / name).read_text("utf-8")


# --- questions ------------------------------------------------------------------------------------

#: An answer to a request, as a value for JSON.
_Answer = Callable[[Lab, Record], Awaitable[object]]


def _answered(do: _Answer) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> object:
        return await do(request.app.state.lab, await _asked(request))

    return _said(answer)


def _said(
    answer: Callable[[Request], Awaitable[object]],
) -> Callable[[Request], Awaitable[Response]]:
    """An answer as JSON, and so is what stands against it."""

    async def said(request: Request) -> Response:
        try:
            return _json(await answer(request))
        except Outdated:
            return _json({"cancelled": True})
        except TooMuch as problem:
            return _json({"problem": str(problem)}, 413)
        except Refused as problem:
            return _json({"problem": str(problem)}, 422)
        except Gone as problem:
            return _json({"problem": str(problem), "gone": True}, 503)
        except (KeyError, TypeError, ValueError) as problem:
            return _json({"problem": f"a request that nobody understands: {problem}"}, 400)

    return said


def _json(value: object, status: int = 200) -> Response:
    text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    return Response(text, status, media_type="application/json")


async def _asked(request: Request) -> Record:
    """The object that the page sends; raises ``ValueError`` and ``Refused``."""
    lab: Lab = request.app.state.lab
    if request.method != "POST":
        return {}
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > MOST:
            raise TooMuch(f"a request has at most {MOST >> 20} MiB")
    value = json.loads(body)
    if not isinstance(value, dict):
        raise ValueError("no object")
    if str(value.get("pool", lab.pool)) != str(lab.pool):
        raise Refused("another pool was opened in this laboratory: reload the page")
    return value


def _texts(asked: Record) -> EditedTexts:
    files = asked.get("files", {})
    if not isinstance(files, dict):
        raise ValueError("files are no object")
    pairs = tuple(sorted((_text(name), _text(text)) for name, text in files.items()))
    return EditedTexts(_text(asked.get("overlay", "")), pairs)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is no text")
    return value


def _cycle(asked: Record) -> int:
    """The cycle that it is about, counted from 1."""
    number = asked.get("cycle", 1)
    if not isinstance(number, int) or isinstance(number, bool):
        raise ValueError(f"{number!r} is no number of a cycle")
    return number


def _lane(asked: Record, name: str) -> str:
    """Of several pages each has lanes of its own."""
    return f"{name} {_text(asked.get('page', ''))[:40]}"


async def _pool(lab: Lab, _: Record) -> object:
    return {**await lab.ask(0, "overview"), "overlay": lab.overlay}


async def _edit(lab: Lab, asked: Record) -> object:
    return await lab.ask(0, "edit", _texts(asked), _cycle(asked), lane=_lane(asked, "edit"))


async def _follow(lab: Lab, asked: Record) -> object:
    """One more cycle; a newer edit ends it."""
    return await lab.ask(0, "follow", _texts(asked), _cycle(asked), lane=_lane(asked, "edit"))


async def _suggest(lab: Lab, asked: Record) -> object:
    return await lab.ask(0, "suggest", lane=_lane(asked, "edit"))


async def _why(lab: Lab, asked: Record) -> object:
    what, slot = _text(asked["what"]), asked.get("slot")
    if what not in ("job", "user", "group"):
        raise ValueError(f"{what!r} is no job, user or group")
    slot = None if slot is None else _text(slot)
    given = _texts(asked), what, _text(asked["name"]), slot, _cycle(asked)
    return await lab.ask(0, "why", *given, lane=_lane(asked, "why"))


async def _export(lab: Lab, asked: Record) -> object:
    given = _texts(asked), lab.words, _cycle(asked)
    return await lab.ask(0, "export", *given, lane=_lane(asked, "export"))


async def _check(lab: Lab, asked: Record) -> object:
    return await lab.ask(1, "check", _texts(asked), lane=_lane(asked, "check"))


def _at(method: str) -> _Answer:
    """A question about a place in a text."""

    async def answer(lab: Lab, asked: Record) -> object:
        place = _text(asked["file"]), int(asked["line"]), int(asked["column"])
        return await lab.ask(1, method, _texts(asked), *place, lane=_lane(asked, method))

    return answer


# --- files that are dropped -----------------------------------------------------------------------


async def _files(lab: Lab, _: Record) -> object:
    return lab.board().told()


async def _drop(request: Request) -> object:
    """Take a file: its name in the address, its bytes in the body."""
    lab: Lab = request.app.state.lab
    name, dropped = request.query_params["name"], lab.board().dropped
    with dropped.coming(name) as take:
        async for piece in request.stream():
            take(piece)
    return dropped.row(await asyncio.to_thread(dropped.know, name))


async def _paste(lab: Lab, asked: Record) -> object:
    dropped = lab.board().dropped
    return dropped.row(await asyncio.to_thread(dropped.paste, _text(asked["text"])))


async def _forget(lab: Lab, asked: Record) -> object:
    lab.board().dropped.forget(_text(asked["name"]))
    return {}


async def _open(lab: Lab, asked: Record) -> object:
    await lab.open(_text(asked["what"]))
    return {}


async def _leave(lab: Lab, _: Record) -> object:
    await lab.leave()
    return {}
