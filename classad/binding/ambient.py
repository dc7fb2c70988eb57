"""Gives evaluations the clock, the local zone and the password file of the machine.

The Python interface (``ExprTree.eval`` and its like) evaluates with these; everything that decides
something (policy, negotiation) passes its own context instead.  No other module reads them.
"""

from __future__ import annotations

import time
from collections import ChainMap
from collections.abc import Mapping
from contextvars import ContextVar
from datetime import tzinfo
from typing import TYPE_CHECKING, Final

from classad.ads.ad import Ad
from classad.ads.expression import Expression
from classad.compiled.state import CompiledState
from classad.evaluation.context import EvalContext
from classad.language.rules import NEWEST, LanguageRules

if TYPE_CHECKING:
    from random import Random

    from classad.evaluation.functions import Builtin
    from classad.language.values import ClassAdValue

#: Functions that Python code registered (``classad.binding.registration``): folded name ->
#: declaration.
REGISTERED: Final[dict[str, Builtin]] = {}


class AmbientContext(EvalContext):
    """A context that asks the machine, when it is asked, for all that it was not given.

    ``outer``: the context that has the random numbers and the functions if these are not given.
    """

    __slots__ = ("_given_now", "_given_tz", "_outer")

    def __init__(
        self,
        strict: bool = False,
        *,
        now: float | None = None,
        tz: tzinfo | None = None,
        seed: int | None = None,
        functions: Mapping[str, Builtin] = REGISTERED,
        outer: AmbientContext | None = None,
        language: LanguageRules = NEWEST,
    ) -> None:
        self._given_now = now
        self._given_tz = tz
        self._outer = outer if seed is None else None
        super().__init__(
            seed=seed, strict=strict, home_of=_home_of, functions=functions, language=language
        )

    @property
    def now(self) -> float:
        """The clock, unless it was stopped."""
        return time.time() if self._given_now is None else self._given_now

    @now.setter
    def now(self, value: float | None) -> None:
        """The clock is not set from here."""

    @property
    def tz(self) -> tzinfo:
        """The zone of the machine, with its summer time rules when they are to be had."""
        return _local_zone() if self._given_tz is None else self._given_tz

    @tz.setter
    def tz(self, value: tzinfo | None) -> None:
        """The zone is not set from here."""

    def literal_zone(self) -> str | None:
        """The given zone, or that of the machine."""
        return zone_name() if self._given_tz is None else super().literal_zone()

    @property
    def rng(self) -> Random:
        """The random numbers: seeded, or those that everything around this context uses."""
        return super().rng if self._outer is None else self._outer.rng

    def within(
        self,
        *,
        now: float | None = None,
        tz: tzinfo | None = None,
        seed: int | None = None,
        strict: bool | None = None,
        functions: Mapping[str, Builtin] | None = None,
        language: LanguageRules | None = None,
    ) -> AmbientContext:
        """This context with some of it replaced; ``functions`` are added to those it has."""
        known: Mapping[str, Builtin] = self.functions or REGISTERED
        return AmbientContext(
            self.strict if strict is None else strict,
            now=self._given_now if now is None else now,
            tz=self._given_tz if tz is None else tz,
            seed=seed,
            functions=ChainMap(dict(functions), known) if functions else known,  # type: ignore[arg-type]
            outer=self,
            language=self.language if language is None else language,
        )


_LOCAL_TIME: Final = "/etc/localtime"
_zones: Final[dict[str | None, tzinfo]] = {}


def _local_zone() -> tzinfo:
    import os
    from datetime import datetime
    from zoneinfo import ZoneInfo

    name = os.environ.get("TZ")
    if name not in _zones:
        try:
            if name is not None:
                _zones[name] = ZoneInfo(name.lstrip(":") or "UTC")
            else:
                with open(_LOCAL_TIME, "rb") as stream:
                    _zones[name] = ZoneInfo.from_file(stream)
        except (OSError, ValueError, LookupError):  # no file, no zone, or rules without a name
            zone = datetime.now().astimezone().tzinfo
            assert zone is not None
            _zones[name] = zone
    return _zones[name]


def zone_name() -> str | None:
    """The IANA name of the machine's zone, for time literals that name none; None means UTC."""
    import os

    name = os.environ.get("TZ")
    if name not in _zone_names:
        place = name.lstrip(":") if name is not None else os.path.realpath(_LOCAL_TIME)
        place = place.rpartition("zoneinfo/")[2]
        _zone_names[name] = place if _is_zone(place) else None
    return _zone_names[name]


_zone_names: Final[dict[str | None, str | None]] = {}


def _is_zone(name: str) -> bool:
    from classad.errors import ClassAdValueError
    from classad.language.times import check_zone

    try:
        check_zone(name)
    except ClassAdValueError:
        return False
    return True


def _home_of(user: str) -> str | None:
    try:
        import pwd

        return pwd.getpwnam(user).pw_dir
    except (ImportError, KeyError):
        return None


#: The context of evaluations outside of every ``with`` block of ``classad.binding.blocks``.
AMBIENT: Final = AmbientContext()

#: One entry for each such block open anywhere in the process; while there is none, evaluations
#: need not look for theirs.
OPEN_BLOCKS: Final[list[object]] = []

CURRENT: Final[ContextVar[AmbientContext]] = ContextVar("classad_context", default=AMBIENT)


def current_context() -> AmbientContext:
    """The context of this thread or task."""
    return CURRENT.get() if OPEN_BLOCKS else AMBIENT


class AmbientState(CompiledState):
    """An evaluation in the ambient context."""

    context: EvalContext = AMBIENT


class SharedState(AmbientState):
    """The state of all evaluations of expressions that use none, as long as they need none.

    It is never written to: what has to be kept is kept in a state of its own.
    """

    def follow(self, tree: Expression, ad: Ad, owner: Ad) -> ClassAdValue:
        return AmbientState().follow(tree, ad, owner)

    def enter(self, tree: Expression, ad: Ad | None) -> ClassAdValue:
        return AmbientState().enter(tree, ad)


#: For ``ExprTree.eval``; see ``Expression.modest``.
SHARED: Final = SharedState()
