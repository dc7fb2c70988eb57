"""Keeps what attrs compiles for classes, beside what Python keeps of modules.

A command makes two hundred classes, and compiling their methods takes a quarter of the time of a
short one.  Kept code stands under the text that it was compiled from, so it is never that of
another class; a file that is damaged is none.  Where Python keeps no bytecode nothing is kept.

Inputs: the class builder of attrs, of which nothing else is changed.  Outputs: a file in
``__pycache__``, of this Python.
"""

from __future__ import annotations

import contextlib
import marshal
import os
import sys
from importlib.util import MAGIC_NUMBER, cache_from_source
from types import CodeType
from zlib import crc32

#: Bytes that are kept at most, several times what there is of all classes.
MOST = 8 << 20


class KeptCode:
    """A context in which attrs compiles no methods of which the code is kept."""

    def __init__(self, path: str | None = None) -> None:
        """``path``: of the file; it is read when the first class is made."""
        self._path = path or f"{cache_from_source(__file__)}.classes"
        self._known: dict[tuple[str, str, str], bytes] | None = None
        self._read = 0

    def __enter__(self) -> None:
        try:
            from attr import _make
        except ImportError:  # a broken installation, as `pieslice doctor` says
            return
        # The names are builtins there.  The text of a class has the hash of its name, which is
        # another one in every process.
        vars(_make).update(compile=self._compile, hash=_steady_hash)

    def __exit__(self, *problem: object) -> None:
        make = sys.modules.get("attr._make")
        for name in ("compile", "hash") if make is not None else ():
            vars(make).pop(name, None)
        self._save()

    def _compile(self, text: str, name: str, mode: str) -> CodeType:
        """Stands for ``compile``."""
        if self._known is None:
            self._known = _read(self._path)
            self._read = len(self._known)
        kept = self._known.get((text, name, mode))
        if kept is not None:
            code: CodeType = marshal.loads(kept)
            return code
        code = compile(text, name, mode)
        self._known[text, name, mode] = marshal.dumps(code)
        return code

    def _save(self) -> None:
        """Write what has been compiled for the first time, if anything."""
        if not self._known or len(self._known) == self._read or sys.dont_write_bytecode:
            return
        data = marshal.dumps(self._known)
        if len(data) > MOST:
            data = marshal.dumps({})
        beside = f"{self._path}.{os.getpid()}"
        with contextlib.suppress(OSError):
            with open(beside, "wb") as file:
                file.write(_head(data) + data)
            os.replace(beside, self._path)


def _steady_hash(value: object) -> int:
    """Stands for ``hash``."""
    return crc32(value.encode()) if isinstance(value, str) else hash(value)


def _head(data: bytes) -> bytes:
    return MAGIC_NUMBER + crc32(data).to_bytes(4, "little")


def _read(path: str) -> dict[tuple[str, str, str], bytes]:
    try:
        with open(path, "rb") as file:
            found = file.read()
    except OSError:
        return {}
    data = found[len(_head(b"")) :]
    known: dict[tuple[str, str, str], bytes] = {}
    return marshal.loads(data) if found.startswith(_head(data)) else known
