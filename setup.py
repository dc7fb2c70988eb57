"""What pyproject.toml cannot say: which extension module cffi builds, and its stable ABI.

``PIESLICE_PURE=1`` leaves the extension out; the result is a ``py3-none-any`` wheel in which the
Python twins of the kernels do the work.  Without it a missing compiler stops the installation.
"""

import os

from setuptools import setup

PURE = os.environ.get("PIESLICE_PURE", "") not in ("", "0")

setup(
    cffi_modules=[] if PURE else ["csrc/build_kernels.py:ffibuilder"],
    options={} if PURE else {"bdist_wheel": {"py_limited_api": "cp311"}},
)
