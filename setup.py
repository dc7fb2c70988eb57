"""What pyproject.toml cannot say: which extension module cffi builds, its stable ABI, manual pages.

``PIESLICE_PURE=1`` leaves the extension out; the result is a ``py3-none-any`` wheel in which the
Python twins of the kernels do the work.  Without it a missing compiler stops the installation.
"""

import os
import sys
from pathlib import Path

from setuptools import setup

ROOT = Path(__file__).parent
# A build front end starts this file without its folder on the path.
sys.path.insert(0, str(ROOT))

PURE = os.environ.get("PIESLICE_PURE", "") not in ("", "0")


def man_pages() -> list[str]:
    """Write the manual pages, which are made from the parsers; the parsers need no dependency."""
    from pieslice import __version__
    from pieslice.cli import build_parser
    from pieslice.manual.manpages import man_pages

    folder = ROOT / "build" / "man"
    folder.mkdir(parents=True, exist_ok=True)
    pages = man_pages(build_parser(), __version__)
    for name, text in pages.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [f"build/man/{name}" for name in pages]


setup(
    data_files=[("share/man/man1", man_pages())],
    cffi_modules=[] if PURE else ["csrc/build_kernels.py:ffibuilder"],
    options={} if PURE else {"bdist_wheel": {"py_limited_api": "cp311"}},
)
