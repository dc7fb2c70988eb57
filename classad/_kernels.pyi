"""The extension module that cffi builds from csrc/ (see csrc/kernels.h for the meaning)."""

from typing import Protocol

class _Sizes(Protocol):
    """A C array of size_t or of double."""

class _Lib(Protocol):
    CA_OK: int
    CA_BAD_ARGUMENT: int
    def ca_interface(self) -> int: ...
    def ca_top_k(self, rows: int, columns: int, k: int, keys: _Sizes, order: _Sizes) -> int: ...
    def ca_sort_order(self, rows: int, columns: int, keys: _Sizes, order: _Sizes) -> int: ...

class _FFI(Protocol):
    def new(self, ctype: str, init: int) -> _Sizes: ...
    def from_buffer(self, ctype: str, buffer: object) -> _Sizes: ...
    def unpack(self, array: _Sizes, length: int) -> list[int]: ...

lib: _Lib
ffi: _FFI
