"""The extension module that cffi builds from csrc/ (see csrc/kernels.h for the meaning)."""

from collections.abc import Callable
from typing import Protocol

class _Sizes(Protocol):
    """A C array of size_t or of double."""

class _Lib(Protocol):
    CA_OK: int
    CA_BAD_ARGUMENT: int
    CA_CHOOSE: int
    def ca_interface(self) -> int: ...
    def ca_order(
        self,
        count: int,
        columns: int,
        keys: object,
        size: int,
        rows: object,
        wanted: int,
        stable: int,
        first: object,
        scratch: object,
        order: object,
    ) -> int: ...
    def ca_number_pairs(
        self,
        rows: int,
        left_width: int,
        left: object,
        right_width: int,
        right: object,
        room: int,
        slots: _Sizes,
        numbers: _Sizes,
        first: _Sizes,
    ) -> int: ...
    def ca_pick(
        self, count: int, rows: _Sizes, length: int, width: int, values: object, out: object
    ) -> int: ...
    def ca_flag(
        self,
        count: int,
        codes: _Sizes,
        rows: object,
        size: int,
        table: _Sizes,
        room: int,
        bits: _Sizes,
    ) -> int: ...
    def ca_list_bits(self, size: int, bits: _Sizes, room: int, rows: object) -> int: ...
    def ca_mark(self, count: int, rows: object, kind: int, room: int, out: object) -> int: ...
    def ca_operate(
        self,
        op: int,
        count: int,
        first: object,
        second: object,
        third: object,
        tags: object,
        payload: object,
    ) -> int: ...
    def ca_judge(self, count: int, tags: object, payload: object, out: object) -> int: ...
    def ca_numbers(
        self, count: int, tags: object, payload: object, single: int, other: float, out: object
    ) -> int: ...
    def ca_count_holding(
        self, count: int, ends: object, size: int, judged: object, out: object
    ) -> int: ...
    def ca_parse(
        self, length: int, text: bytes, origin: int, how: int, capacity: int, nodes: object
    ) -> int: ...

class _FFI(Protocol):
    NULL: object
    def new(self, ctype: str, init: object) -> _Sizes: ...
    def new_allocator(
        self, *, should_clear_after_alloc: bool
    ) -> Callable[[str, object], _Sizes]: ...
    def from_buffer(self, ctype: str, buffer: object) -> _Sizes: ...
    def unpack(self, array: _Sizes, length: int) -> list[int]: ...
    def buffer(self, array: object, size: int) -> object: ...

lib: _Lib
ffi: _FFI
