"""Keeps what is compiled for classes of attrs, named tuples, regular expressions and the grammar of
expressions, beside what Python keeps of modules.

A command makes two hundred classes and as many patterns; compiling them takes a third of the time
of a short one.  Kept code stands under the text that it was compiled from, so it is never that of
another class or pattern; a file that is damaged is none.  Where Python keeps no bytecode nothing
is kept.  Of patterns only those of ``classad.patterns`` are, and those of the modules that attrs
and ``json`` import: others may come out of the input.

Inputs: the class builders of attrs and of named tuples, and ``classad.patterns``, of which nothing
else is changed.
Outputs: two files in ``__pycache__``, of this Python.
"""

from __future__ import annotations

import collections
import contextlib
import marshal
import os
import re
import sys
import typing
from collections.abc import Callable
from importlib.util import MAGIC_NUMBER, cache_from_source
from struct import pack
from types import CodeType
from typing import TYPE_CHECKING, Any, Final
from zlib import adler32, crc32

if TYPE_CHECKING:
    from classad.patterns import AnyPattern

_compile_regex, _compile, _hash = re.compile, compile, hash
#: Bytes that are kept at most, several times what there is of all classes and patterns.
MOST = 8 << 20
#: How the numbers of compiled patterns are kept.
_NUMBER: Final = "I"

#: Text, name and mode of a class; text, flags and kind of a pattern; a text and the name of what
#: makes something else of it.
_Key = tuple[str | bytes, str | int, str]


class KeptCode:
    """A context in which no methods and patterns are compiled of which the code is kept."""

    def __init__(self, path: str | None = None) -> None:
        """``path``: of the first file; each is read when the first thing in it is made."""
        path = path or f"{cache_from_source(__file__)}.kept"
        self._code = _KeptFile(path)
        # What is made of texts is large, and most commands need none of it.
        self._values = _KeptFile(f"{path}-values")

    def __enter__(self) -> None:
        # What attrs imports makes patterns of its own, as `json` does; none comes out of an input.
        vars(re).update(compile=self._regex)
        try:
            import json  # noqa: F401 - every command reads tables

            from attr import _make
        except ImportError:  # a broken installation, as `pieslice doctor` says
            return
        finally:
            vars(re).update(compile=_compile_regex)
        if "policy" in sys.modules:  # which has looked whose package `classad` is
            from classad import patterns

            patterns.compile_regex = self._regex
            patterns.compile_code = self._compile
            patterns.kept = self._made
        # The names are builtins there: `typing` compiles the annotations of a named tuple,
        # `collections` its constructor.  The text of a class has the hash of its name, which is
        # another one in every process.
        vars(_make).update(compile=self._compile, hash=_steady_hash)
        vars(typing).update(compile=self._compile)
        vars(collections).update(eval=self._evaluated)

    def __exit__(self, *problem: object) -> None:
        patterns = sys.modules.get("classad.patterns")
        if patterns is not None:
            own = {"compile_regex": _compile_regex, "compile_code": _compile}
            vars(patterns).update(own, kept=patterns._made)
        for module in filter(None, (sys.modules.get("attr._make"), typing, collections)):
            for name in ("compile", "hash", "eval"):
                vars(module).pop(name, None)
        self._code.save()
        self._values.save()

    def _compile(self, text: str, name: str, mode: str, **more: object) -> CodeType:
        """Stands for ``compile``; Python says more of modules, and keeps them itself."""
        if more:
            return _compile(text, name, mode, **more)  # type: ignore[call-overload,no-any-return]
        known = self._code.all()
        kept = known.get((text, name, mode))
        if kept is not None:
            code: CodeType = marshal.loads(kept)
            return code
        code = _compile(text, name, mode)
        self._code.put((text, name, mode), marshal.dumps(code))
        return code

    def _evaluated(self, text: str, names: dict[str, object]) -> object:
        """Stands for ``eval``, as named tuples call it."""
        made: object = eval(self._compile(text, "<string>", "eval"), names)
        return made

    def _regex(self, text: str | bytes, flags: int = 0) -> AnyPattern:
        """Stands for ``re.compile``."""
        engine = _engine()
        if engine is None:
            return _compile_regex(text, flags)
        form = f"{engine.MAGIC} {engine.CODESIZE} {_NUMBER}"
        key, known = (text, int(flags), form), self._code.all()
        kept = known.get(key)
        words = _words_of_pattern(text, flags) if kept is None else marshal.loads(kept)
        if kept is None:
            self._code.put(key, marshal.dumps(words))
        flags, code, *rest = words
        numbers = memoryview(code).cast(_NUMBER).tolist()
        pattern: AnyPattern = engine.compile(text, flags, numbers, *rest)
        return pattern

    def _made(self, text: str, make: Callable[[str], Any]) -> Any:
        """Stands for calling ``make``; with another text of its module it makes something else."""
        code, key = make.__code__, (text, "", make.__name__)
        mark = crc32(code.co_code), _written(code.co_filename)
        kept = self._values.all().get(key)
        found = None if kept is None else marshal.loads(kept)
        if found is None or found[0] != mark:
            found = mark, make(text)
            self._values.put(key, marshal.dumps(found))
        return found[1]


class _KeptFile:
    """What one file keeps."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._known: dict[_Key, bytes] | None = None
        self._has_new = False

    def all(self) -> dict[_Key, bytes]:
        """All that is kept."""
        if self._known is None:
            self._known = _read(self._path)
        return self._known

    def put(self, key: _Key, value: bytes) -> None:
        """Keep something, in place of what was kept there."""
        self.all()[key] = value
        self._has_new = True

    def save(self) -> None:
        """Write what has been made for the first time, if anything."""
        if not self._has_new or sys.dont_write_bytecode:
            return
        data = marshal.dumps(self._known)
        if len(data) > MOST:
            data = marshal.dumps({})
        beside = f"{self._path}.{os.getpid()}"
        with contextlib.suppress(OSError):
            with open(beside, "wb") as file:
                file.write(_head(data) + data)
            os.replace(beside, self._path)


def _written(path: str) -> int:
    """When a file was written, in nanoseconds; 0 where that cannot be told."""
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return 0


def _steady_hash(value: object) -> int:
    """Stands for ``hash``."""
    return crc32(value.encode()) if isinstance(value, str) else _hash(value)


def _engine() -> Any:
    """What runs regular expressions; None where it is not the one that is known here."""
    engine, compiler = sys.modules.get("_sre"), sys.modules.get("re._compiler")
    return engine if hasattr(compiler, "_code") and hasattr(compiler, "_parser") else None


def _words_of_pattern(text: str | bytes, flags: int) -> tuple[Any, ...]:
    """What the engine makes a pattern of: flags, code, the number and the names of groups.

    The code is kept as bytes, as marshal takes a step for each of its numbers.
    """
    compiler: Any = sys.modules["re._compiler"]
    tree = compiler._parser.parse(text, int(flags))
    code, names = compiler._code(tree, int(flags)), tree.state.groupdict
    by_group = {at: name for name, at in names.items()}
    groups = tuple(map(by_group.get, range(tree.state.groups)))
    flags = int(flags) | tree.state.flags
    numbers = pack(f"{len(code)}{_NUMBER}", *code)
    return flags, numbers, tree.state.groups - 1, names, groups


def _head(data: bytes) -> bytes:
    # A third of what `crc32` takes.
    return MAGIC_NUMBER + adler32(data).to_bytes(4, "little")


def _read(path: str) -> dict[_Key, bytes]:
    try:
        with open(path, "rb") as file:
            found = file.read()
    except OSError:
        return {}
    data = found[len(_head(b"")) :]
    known: dict[_Key, bytes] = {}
    return marshal.loads(data) if found.startswith(_head(data)) else known
