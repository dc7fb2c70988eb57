"""Refuses to be imported from a folder into which another package called ``classad`` was installed.

HTCondor's Python bindings before version 25, and a package of that name on PyPI, bring a folder
``classad``, too; pip puts one over the other without a word, and both are broken.  Each leaves
files that the other does not have.  ``policy.foreign_package`` sees to it when theirs came last.

Inputs: the folder of this package.  Outputs: none, or one ``ImportError`` that says what to do.
"""

from __future__ import annotations

import os
from typing import Final

#: Names that files of a foreign package begin with, what it is, and its distribution.
_MARKS: Final = (
    ("classad.", "HTCondor's Python bindings before version 25", "htcondor"),
    ("_base_expression.py", "the package classad from PyPI", "classad"),
)


def foreign_package(folder: str) -> tuple[str, str, str] | None:
    """A file, the name and the distribution of another package in the folder of this one."""
    try:
        names = os.listdir(folder)
    except OSError:  # not a folder: an archive
        return None
    for name in sorted(names):
        for mark, what, distribution in _MARKS:
            if name.startswith(mark):
                return os.path.join(folder, name), what, distribution
    return None


def refuse_mixture(folder: str) -> None:
    """Raise ``ImportError`` if the folder of this package has files of another one."""
    found = foreign_package(folder)
    if found is not None:
        file, what, distribution = found
        raise ImportError(
            f"pieslice and {what} were installed over each other ({file} is not pieslice's), which "
            f"breaks both; {way_out(distribution)}",
            name="classad",
            path=file,
        )


def way_out(distribution: str) -> str:
    """What to do about a distribution that has a package ``classad``."""
    steps = [f"pip uninstall --yes {distribution}"]
    if distribution == "htcondor":
        steps.append("pip install 'htcondor>=25'")
    steps.append("pip install --force-reinstall --no-deps pieslice")
    return (
        "run " + "; ".join(f"`{step}`" for step in steps)
        + ", or install pieslice in an environment of its own"
    )  # fmt: skip
