"""The only door from evaluation to the outside: clock, local zone and password file.

The Python interface (``ExprTree.eval`` and its like) evaluates with these; everything that decides
something (policy, negotiation) passes its own context instead.
"""

from __future__ import annotations

import time
from datetime import tzinfo
from typing import TYPE_CHECKING, Any, Final

from classad.state import EvalContext, EvalState

if TYPE_CHECKING:
    from classad.ad import ClassAd
    from classad.deferred import Deferred

#: Functions that Python code registered (``classad.registration``): folded name -> declaration.
REGISTERED: Final[dict[str, Any]] = {}


class AmbientContext(EvalContext):
    """A context that asks the machine, when it is asked."""

    __slots__ = ()

    def __init__(self, strict: bool = False) -> None:
        super().__init__(seed=None, strict=strict, home_of=_home_of, functions=REGISTERED)

    @property
    def now(self) -> float:
        """The clock."""
        return time.time()

    @now.setter
    def now(self, value: float | None) -> None:
        """The clock is not set from here."""

    @property
    def tz(self) -> tzinfo:
        """The zone of the machine, with its summer time rules when they are to be had."""
        return _local_zone()

    @tz.setter
    def tz(self, value: tzinfo | None) -> None:
        """The zone is not set from here."""


_zones: Final[dict[str, tzinfo]] = {}


def _local_zone() -> tzinfo:
    import os
    from datetime import datetime
    from zoneinfo import ZoneInfo

    name = os.environ.get("TZ", "").lstrip(":")
    if name not in _zones:
        try:
            if name:
                _zones[name] = ZoneInfo(name)
            else:
                with open("/etc/localtime", "rb") as stream:
                    _zones[name] = ZoneInfo.from_file(stream)
        except (OSError, ValueError):
            zone = datetime.now().astimezone().tzinfo
            assert zone is not None
            _zones[name] = zone
    return _zones[name]


def zone_name() -> str | None:
    """The IANA name of the machine's zone, for time literals that name none; None means UTC."""
    import os

    name = os.environ.get("TZ")
    if name not in _zone_names:
        place = name.lstrip(":") if name is not None else os.path.realpath("/etc/localtime")
        place = place.rpartition("zoneinfo/")[2]
        _zone_names[name] = place if _is_zone(place) else None
    return _zone_names[name]


_zone_names: Final[dict[str | None, str | None]] = {}


def _is_zone(name: str) -> bool:
    from classad.errors import ClassAdValueError
    from classad.times import check_zone

    try:
        return check_zone(name) is not None
    except ClassAdValueError:
        return False


def _home_of(user: str) -> str | None:
    try:
        import pwd

        return pwd.getpwnam(user).pw_dir
    except (ImportError, KeyError):
        return None


class AmbientState(EvalState):
    """An evaluation in the ambient context."""

    context: EvalContext = AmbientContext()


class SharedState(AmbientState):
    """The state of all evaluations of expressions that use none, as long as they need none.

    It is never written to: what has to be kept is kept in a state of its own.
    """

    def follow(self, tree: Deferred, ad: ClassAd, owner: ClassAd) -> Any:
        return AmbientState().follow(tree, ad, owner)

    def enter(self, tree: Deferred, ad: ClassAd | None) -> Any:
        return AmbientState().enter(tree, ad)


#: For ``ExprTree.eval``; see ``Deferred.modest``.
SHARED: Final = SharedState()
