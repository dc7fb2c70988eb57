"""Tells why a collector that is there gives no answer, from what it says before it knows who asks.

A token names its pool (``iss``), the key that signed it, whom it stands for and what it allows; the
collector names its pool and keys to anybody.

Inputs: the text of a token file, what the collector says.  Outputs: one line.
Follows: HTCondor's tokens, which are JSON web tokens with scopes such as ``condor:/READ``.
"""

from __future__ import annotations

import base64
import json
from typing import Final

from pieslice.data import JsonData, Record

REFUSED: Final = "it is there, and refuses; --token names a file with a token that has READ rights"
_NO_COLLECTOR: Final = (
    "a daemon answers there that is no collector; is it the port of another daemon?"
)
#: Rights of which none is READ and none includes it.
_WITHOUT_READ: Final = ("ADVERTISE_MASTER", "ADVERTISE_SCHEDD", "ADVERTISE_STARTD", "ALLOW", "DENY")


def tokens_in(text: str) -> list[str]:
    """The tokens of a file, one in a line."""
    lines = (line.strip() for line in text.splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def flaw(text: str) -> str | None:
    """What makes a file one without a token; None if there is nothing."""
    tokens = tokens_in(text)
    if not tokens:
        return "the file is empty; condor_token_create prints a token"
    if any(_parts(token) is None for token in tokens):
        return "there is no token in it; one has three parts with dots between them"
    return None


def why_refused(text: str | None, said: Record, now: float) -> str:
    """Why a collector that can be connected to does not answer; ``text``: of the token file."""
    if said.get("read"):
        return _NO_COLLECTOR
    found = None if text is None else next(map(_parts, tokens_in(text)), None)
    if found is None:
        return REFUSED
    head, body = found
    issuer, pool = body.get("iss"), said.get("trust")
    key, keys = str(head.get("kid", "")), [str(key) for key in said.get("keys") or ()]
    if pool and issuer != pool:
        return f"the token is of another pool: it is from `{issuer}`, and this pool is `{pool}`"
    if keys and key and key not in keys:
        return f"the token is of another pool: this one has no key `{key}`"
    expires = body.get("exp")
    if isinstance(expires, int | float) and expires < now:
        return "the token has expired"
    scopes = [scope.rpartition("/")[2] for scope in str(body.get("scope", "")).split()]
    if scopes and all(scope in _WITHOUT_READ for scope in scopes):
        return f"the token gives no READ right, only {', '.join(scopes)}"
    who = body.get("sub", "?")
    return (
        f"it refuses the token of `{who}`: who has no READ right in this pool, or the token was"
        " signed with the key of another one"
    )


def _parts(token: str) -> tuple[JsonData, JsonData] | None:
    """The two readable parts of a token."""
    pieces = token.split(".")
    if len(pieces) != 3:
        return None
    try:
        head, body = (
            json.loads(base64.urlsafe_b64decode(piece + "=" * (-len(piece) % 4)))
            for piece in pieces[:2]
        )
    except ValueError:
        return None
    return (head, body) if isinstance(head, dict) and isinstance(body, dict) else None
