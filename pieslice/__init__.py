"""What people do with expressions, policies and cycles: the command ``pieslice``, its reports,
plots, questions, forecasts, simulations and searches; never decides what a library decides:
what an expression means is in ``classad``, what a configuration says in ``policy``, who gets which
slot in ``negotiator``.

    >>> import pieslice
    >>> pool = pieslice.read("examples/campus")
    >>> pool
    <Pool campus: 56 slots, 376 jobs, 6 users>

``read`` gives a pool, ``check`` and ``read_policy`` look at a configuration, ``read_priorities`` at
a saved state of the accountant.  All names below are loaded when they are first used.
"""

from __future__ import annotations

# As in `typing`, which is not imported for it: this package is light.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from pieslice.api.errors import Error as Error
    from pieslice.api.errors import NotFoundError as NotFoundError
    from pieslice.api.errors import ReadError as ReadError
    from pieslice.api.policies import check as check
    from pieslice.api.policies import read_policy as read_policy
    from pieslice.api.pool import Pool as Pool
    from pieslice.api.pool import read as read
    from pieslice.api.priorities import read_priorities as read_priorities

__version__ = "0.1.0.dev0"

#: Name -> where it is.
_NAMES = {
    "Error": "pieslice.api.errors",
    "NotFoundError": "pieslice.api.errors",
    "Pool": "pieslice.api.pool",
    "ReadError": "pieslice.api.errors",
    "check": "pieslice.api.policies",
    "read": "pieslice.api.pool",
    "read_policy": "pieslice.api.policies",
    "read_priorities": "pieslice.api.priorities",
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
