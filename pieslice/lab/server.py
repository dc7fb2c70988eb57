"""Serves the page of a laboratory to the browser of the one who started it, and nobody else.

The address has a random token, which becomes a cookie that scripts cannot read; requests for
another host (another name of this machine, which a page elsewhere may have rebound) and from other
pages are refused; what asks for work needs a header that no form of another page can send.

Without a pool the page is one on which files are dropped (``desk.py``), until they are opened.

Inputs: two workers or a desk, the port.  Outputs: a Starlette application.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Awaitable, Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import (
    PlainTextResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pieslice.data import Record
from pieslice.lab.asked import cycle as _cycle
from pieslice.lab.asked import number as _number
from pieslice.lab.asked import text as _text
from pieslice.lab.asked import texts as _texts
from pieslice.lab.experiments.runs import experiment
from pieslice.lab.laboratory import ANOTHER, Lab
from pieslice.lab.sharing.export import WEB, template
from pieslice.lab.start.dropped import TooMuch
from pieslice.lab.worker import Gone, Outdated, Refused
from pieslice.reports.pages import palette

if TYPE_CHECKING:
    from pieslice.runreport.page import Sheet

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
#: Of what is not to wait for more that might be compressed with it.
_AT_ONCE: Final = {"content-encoding": "identity"}
#: What is made of other files, or stands elsewhere.
_MADE: Final = {
    "colours.css": (palette, _KINDS[".css"]),
    "charts.css": (lambda: _charts().style, _KINDS[".css"]),
    "charts.js": (lambda: _charts().script, _KINDS[".js"]),
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


def application(lab: Lab) -> Starlette:
    """The application; its routes are all there is."""
    routes = [
        Route("/", _page),
        Route("/web/{name}", _asset),
        Route("/api/pool", _answered(_pool)),
        Route("/api/files", _answered(_files)),
        Route("/api/events", _events),
        Route("/api/drop", _said(_drop), methods=["POST"]),
        *(
            Route(f"/api/{name}", _answered(do), methods=["POST"])
            for name, do in (
                ("edit", _edit), ("follow", _follow), ("suggest", _suggest), ("why", _why),
                ("check", _check), ("export", _export), ("run", _run), ("stop", _stop),
                ("see", _see), ("back", _back), ("make_up", _make_up), ("capture", _capture),
                ("reread", _reread), ("choose", _choose), ("changed", _changed),
                ("rank", _rank), ("tree", _tree),
                ("knobs", _knobs), ("difference", _difference), ("save", _save),
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


def _charts() -> Sheet:
    """The sheet of a report; what makes charts is not imported before somebody wants one."""
    from pieslice.runreport.picture import sheet

    return sheet()


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
        raise Refused(ANOTHER)
    return value


async def _pool(lab: Lab, _: Record) -> object:
    found, visit = await lab.ask(0, "overview"), lab.visit
    if visit is not None:
        there = {"home": visit.name, "says": visit.says}
        return {**found, "overlay": "", "visit": there, "saved": None, "path": ""}
    saved = None if lab.saved is None else lab.saved.content()
    return {**found, "overlay": lab.overlay, "visit": None, "saved": saved, "path": lab.path}


async def _edit(lab: Lab, asked: Record) -> object:
    return await lab.ask(0, "edit", _texts(asked), _cycle(asked), lane=lab.lane(asked, "edit"))


async def _follow(lab: Lab, asked: Record) -> object:
    """One more cycle; a newer edit ends it."""
    return await lab.ask(0, "follow", _texts(asked), _cycle(asked), lane=lab.lane(asked, "edit"))


async def _suggest(lab: Lab, asked: Record) -> object:
    return await lab.ask(0, "suggest", lane=lab.lane(asked, "edit"))


async def _why(lab: Lab, asked: Record) -> object:
    what, slot = _text(asked["what"]), asked.get("slot")
    if what not in ("job", "user", "group"):
        raise ValueError(f"{what!r} is no job, user or group")
    slot = None if slot is None else _text(slot)
    given = _texts(asked), what, _text(asked["name"]), slot, _cycle(asked)
    return await lab.ask(0, "why", *given, lane=lab.lane(asked, "why"))


async def _rank(lab: Lab, asked: Record) -> object:
    given = _texts(asked), _text(asked["job"]), _cycle(asked)
    return await lab.ask(0, "rank", *given, lane=lab.lane(asked, "rank"))


async def _tree(lab: Lab, asked: Record) -> object:
    slot = asked.get("slot")
    slot = None if slot is None else _text(slot)
    given = _texts(asked), _text(asked["job"]), slot, _cycle(asked)
    return await lab.ask(0, "tree", *given, lane=lab.lane(asked, "tree"))


async def _export(lab: Lab, asked: Record) -> object:
    given = _texts(asked), lab.words, _cycle(asked)
    return await lab.ask(0, "export", *given, lane=lab.lane(asked, "export"))


async def _check(lab: Lab, asked: Record) -> object:
    return await lab.ask(1, "check", _texts(asked), lane=lab.lane(asked, "check"))


async def _run(lab: Lab, asked: Record) -> object:
    return {"run": lab.runs.begin(lab.workers[0].given[:2], experiment(asked))}


async def _stop(lab: Lab, asked: Record) -> object:
    lab.runs.stop(int(asked["run"]))
    return {}


async def _see(lab: Lab, asked: Record) -> object:
    await lab.see(int(asked["run"]), int(asked["place"]))
    return {}


async def _back(lab: Lab, _: Record) -> object:
    await lab.back()
    return {}


async def _make_up(lab: Lab, _: Record) -> object:
    await lab.make_up()
    return {}


async def _reread(lab: Lab, _: Record) -> object:
    await lab.again(lambda pool: pool)
    return {}


async def _choose(lab: Lab, asked: Record) -> object:
    await lab.choose(_text(asked["name"]))
    return {}


async def _changed(lab: Lab, asked: Record) -> object:
    return {"files": await lab.ask(0, "changed", lane=lab.lane(asked, "changed"))}


async def _events(request: Request) -> Response:
    """How far a run is, until it has ended."""
    lab: Lab = request.app.state.lab
    number = request.query_params.get("run", "")
    try:
        run = lab.runs.run(int(number))
    except (ValueError, Refused):
        raise HTTPException(404) from None
    return StreamingResponse(run.events(), headers=_AT_ONCE, media_type="text/event-stream")


async def _knobs(lab: Lab, asked: Record) -> object:
    every = asked.get("every") is True
    return await lab.ask(1, "knobs", _texts(asked), every, lane=lab.lane(asked, "knobs"))


async def _difference(lab: Lab, asked: Record) -> object:
    given = _texts(asked), _text(asked["name"])
    return await lab.ask(1, "difference", *given, lane=lab.lane(asked, "difference"))


async def _save(lab: Lab, asked: Record) -> object:
    given = _texts(asked), _text(asked["folder"]), _text(asked["name"])
    return await lab.ask(1, "save", *given)


async def _capture(lab: Lab, asked: Record) -> object:
    await lab.capture(int(_number(asked["number"])))
    return {}


def _at(method: str) -> _Answer:
    """A question about a place in a text."""

    async def answer(lab: Lab, asked: Record) -> object:
        place = _text(asked["file"]), int(asked["line"]), int(asked["column"])
        return await lab.ask(1, method, _texts(asked), *place, lane=lab.lane(asked, method))

    return answer


# --- files that are dropped -----------------------------------------------------------------------


async def _files(lab: Lab, _: Record) -> object:
    return lab.board().told()


async def _drop(request: Request) -> object:
    """Take a file: its name in the address, its bytes in the body."""
    lab: Lab = request.app.state.lab
    name, dropped = request.query_params["name"], lab.putting_together().dropped
    with dropped.coming(name) as take:
        async for piece in request.stream():
            take(piece)
    return dropped.row(await asyncio.to_thread(dropped.know, name))


async def _paste(lab: Lab, asked: Record) -> object:
    dropped = lab.putting_together().dropped
    return dropped.row(await asyncio.to_thread(dropped.paste, _text(asked["text"])))


async def _forget(lab: Lab, asked: Record) -> object:
    lab.putting_together().dropped.forget(_text(asked["name"]))
    return {}


async def _open(lab: Lab, asked: Record) -> object:
    await lab.open(_text(asked["what"]))
    return {}


async def _leave(lab: Lab, _: Record) -> object:
    await lab.leave()
    return {}
