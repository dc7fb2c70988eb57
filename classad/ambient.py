"""The only door from evaluation to the outside: clock, local zone and password file.

The Python interface (``ExprTree.eval`` and its like) evaluates with these; everything that decides
something (policy, negotiation) passes its own context instead.
"""

from __future__ import annotations

import time
from datetime import tzinfo
from typing import Final

from classad.state import EvalContext, EvalState


class AmbientContext(EvalContext):
    """A context that asks the machine, when it is asked."""

    __slots__ = ()

    def __init__(self, strict: bool = False) -> None:
        super().__init__(seed=None, strict=strict, home_of=_home_of)

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


def _home_of(user: str) -> str | None:
    try:
        import pwd

        return pwd.getpwnam(user).pw_dir
    except (ImportError, KeyError):
        return None


class AmbientState(EvalState):
    """An evaluation in the ambient context."""

    context: EvalContext = AmbientContext()
