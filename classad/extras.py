"""Imports optional packages when they are first needed, or says what to install."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

#: Package -> the extra of this distribution that brings it.
EXTRAS: Final = {
    "distributed": "dask",
    "hypothesis": "fuzz",
    "joblib": "sweep",
    "matplotlib": "plot",
    "numpy": "numpy",
    "pandas": "pandas",
    "polars": "polars",
    "psutil": "limits",
    "pyarrow": "arrow",
    "pygls": "lsp",
    "starlette": "lab",
    "uvicorn": "lab",
}


def load(module: str) -> Any:
    """An optional module."""
    try:
        return import_module(module)
    except ImportError as problem:
        package = module.partition(".")[0]
        raise ImportError(
            f"this needs the package {package}: pip install 'pieslice[{EXTRAS[package]}]'",
            name=module,
        ) from problem
