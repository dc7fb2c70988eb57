"""Makes the extension module ``classad._kernels`` of the C files (cffi, API mode, stable ABI).

``setup.py`` names the ``ffibuilder``; to build run ``python setup.py build_ext --inplace``.
The flags are part of the meaning of the sources: no fusing of multiplication and addition, signed
arithmetic that wraps, nothing exported but the module's entry point.  CFLAGS from the environment
comes before them, so it can add (``-Werror``, a sanitizer) but not take away.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from cffi import FFI

HERE = Path(__file__).resolve().parent
MODULE = "classad._kernels"
#: All that is here, relative to the folder in which the build runs.
SOURCES = sorted(f"csrc/{path.name}" for path in HERE.glob("*.c"))
DEPENDS = sorted(f"csrc/{path.name}" for path in HERE.glob("*.h"))
FLAGS = [
    "-std=c11",
    "-O2",
    "-ffp-contract=off",
    "-fwrapv",
    "-fvisibility=hidden",
    "-Wall",
    "-Wextra",
]
WINDOWS_FLAGS = ["/O2", "/fp:precise", "/std:c11"]


def declarations() -> str:
    """What the headers declare, for cffi, which knows neither comments over lines nor macros."""
    text = "".join((HERE / name).read_text("ascii") for name in ("declared.h", "kernels.h"))
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)
    return re.sub(r"^#(.*\\\n)*.*$", "", text, flags=re.MULTILINE)


ffibuilder = FFI()
ffibuilder.cdef(declarations())
ffibuilder.set_source(
    MODULE,
    '#include "kernels.h"',
    sources=SOURCES,
    include_dirs=["csrc"],
    depends=DEPENDS,
    extra_compile_args=WINDOWS_FLAGS if sys.platform == "win32" else FLAGS,
    py_limited_api=True,
)
