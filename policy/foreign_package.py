"""Refuses to run beside a foreign package that took our import name.

HTCondor's retired binding also installed a top-level package ``classad``; with it first on the
path, or put over ours by pip, nothing here works and every error would be obscure.  So the packages
above ``classad`` check its mark before they import anything from it; ``classad.foreign`` looks for
the files of a package that ours was put over.

Inputs: the name of an imported package.  Outputs: none, or one ``ImportError`` that names the
foreign file and what to remove.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
from typing import Final

#: The mark that ``classad/__init__.py`` sets.
PRODUCT: Final = "pieslice"
#: Brings back what another package has overwritten or taken with it.
_REINSTALL: Final = "`pip install --force-reinstall --no-deps pieslice`"


def require_own(package: str) -> None:
    """Raise ``ImportError`` unless the top-level ``package`` that is imported is ours."""
    try:
        module = importlib.import_module(package)
    except ImportError:
        # A foreign package may also fail on its own, for want of a library it was built with.
        place = _found_at(package)
        if place is None or _is_ours(place):
            raise
    else:
        if getattr(module, "__product__", None) == PRODUCT:
            return
        place = getattr(module, "__file__", None)
        if place is None:
            raise ImportError(
                f"pieslice's package `{package}` has lost files, as when another package of that "
                f"name is removed: run {_REINSTALL}",
                name=package,
            )
    remove = _distribution_of(package)
    advice = f"remove it with `pip uninstall {remove}`" if remove else "remove it from sys.path"
    if _site(place) == _site(__file__):
        advice += f", then run {_REINSTALL}"
    if remove == "htcondor":
        advice += " (from version 25 on htcondor has no such package)"
    raise ImportError(
        f"the package `{package}` found at {place} is not pieslice's: "
        f"{advice}, or install pieslice in an environment of its own",
        name=package,
        path=place,
    )


def _site(place: str) -> str:
    """The folder that has the package of a file."""
    return os.path.dirname(os.path.dirname(place))


def _found_at(package: str) -> str | None:
    """The file that an import of a top-level package would run."""
    spec = importlib.util.find_spec(package)
    return None if spec is None else spec.origin


def _is_ours(place: str) -> bool:
    """Whether the file of a package that cannot be imported has our mark."""
    try:
        with open(place, errors="replace") as file:
            return f'__product__ = "{PRODUCT}"' in file.read()
    except OSError:  # pragma: no cover - the file has gone since it was found
        return False


def _distribution_of(package: str) -> str | None:
    """The installed distribution, other than ours, that provides a top-level package."""
    from importlib.metadata import packages_distributions

    owners = packages_distributions().get(package, [])
    return next((name for name in owners if name != PRODUCT), None)
