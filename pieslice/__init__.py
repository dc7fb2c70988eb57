"""What people do with expressions, policies and cycles: the command ``pieslice``, its reports,
plots, questions, forecasts, simulations and searches; never decides what a library decides:
what an expression means is in ``classad``, what a configuration says in ``policy``, who gets which
slot in ``negotiator``.

    >>> import pieslice
    >>> pool = pieslice.read("examples/campus")
    >>> pool
    <Pool campus: 56 slots, 376 jobs, 6 users>

``read`` gives a pool, ``check`` and ``policy`` look at a configuration, ``userprio`` at a saved
state of the accountant; ``simulate`` and ``sweep`` try policies on days of jobs; ``match``,
``select`` and ``rank`` ask millions of slots in Parquet files or on a Dask cluster; ``limits``
bounds the time and the memory of all of them; ``schema`` gives the JSON schema of what an answer
prints.  All names below are loaded when they are first used.
"""

from __future__ import annotations

# As in `typing`, which is not imported for it: this package is light.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from classad.language.bounds import limits as limits
    from pieslice.api.errors import Cancelled as Cancelled
    from pieslice.api.errors import Error as Error
    from pieslice.api.errors import LimitError as LimitError
    from pieslice.api.errors import NotFoundError as NotFoundError
    from pieslice.api.errors import ReadError as ReadError
    from pieslice.api.policies import check as check
    from pieslice.api.policies import policy as policy
    from pieslice.api.policies import userprio as userprio
    from pieslice.api.pool import Pool as Pool
    from pieslice.api.pool import read as read
    from pieslice.api.schemas import schema as schema
    from pieslice.api.session import Session as Session
    from pieslice.api.session import Trial as Trial
    from pieslice.api.simulations import simulate as simulate
    from pieslice.api.simulations import sweep as sweep
    from pieslice.api.tables import match as match
    from pieslice.api.tables import rank as rank
    from pieslice.api.tables import select as select

__version__ = "0.9.0"

#: Name -> where it is.
_NAMES = {
    "Cancelled": "pieslice.api.errors",
    "Error": "pieslice.api.errors",
    "LimitError": "pieslice.api.errors",
    "NotFoundError": "pieslice.api.errors",
    "Pool": "pieslice.api.pool",
    "ReadError": "pieslice.api.errors",
    "Session": "pieslice.api.session",
    "Trial": "pieslice.api.session",
    "check": "pieslice.api.policies",
    "limits": "classad.language.bounds",
    "match": "pieslice.api.tables",
    "policy": "pieslice.api.policies",
    "rank": "pieslice.api.tables",
    "read": "pieslice.api.pool",
    "schema": "pieslice.api.schemas",
    "select": "pieslice.api.tables",
    "simulate": "pieslice.api.simulations",
    "sweep": "pieslice.api.simulations",
    "userprio": "pieslice.api.policies",
}
__all__ = ["__version__", *_NAMES]  # noqa: PLE0604 - all are strings


def __getattr__(name: str) -> object:
    if name not in _NAMES:
        raise AttributeError(f"module `pieslice` has no attribute `{name}`")
    from importlib import import_module

    value: object = getattr(import_module(_NAMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
