"""Gives evaluations the clock, the zone and the password file of the machine, and Python functions.

The Python interface (``ExprTree.eval`` and its like) evaluates with these; everything that decides
something (policy, negotiation) passes its own context instead.  No other module reads them.

Functions that Python code registers get their arguments evaluated and converted as everywhere in
the interface; one with a parameter ``state`` (or any keyword) is given the ad.  An exception that
it raises ends the evaluation and reaches the caller.  ``with`` blocks change functions, clock and
semantics for the thread or task that made them; the inner one replaces only what it names.
Follows: ``register`` of HTCondor's retired v1 binding; names are compared without case.
"""

from __future__ import annotations

import time
from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import tzinfo
from functools import cache
from typing import TYPE_CHECKING, Final, Literal

from classad.ads.ad import Ad, CopiedAd, Stored
from classad.ads.expression import Expression
from classad.binding.python_values import FACTORIES
from classad.compiled.state import CompiledState
from classad.evaluation.context import EvalContext
from classad.language.names import fold_name
from classad.language.rules import NEWEST, LanguageRules

if TYPE_CHECKING:
    from random import Random

    from classad.evaluation.functions import Builtin
    from classad.evaluation.state import CallSite
    from classad.language.values import ClassAdValue

#: Functions that Python code registered (``classad.binding.ambient``): folded name ->
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


def _local_zone() -> tzinfo:
    import os

    return _zone_of(os.environ.get("TZ"))


@cache
def _zone_of(name: str | None) -> tzinfo:
    from datetime import datetime
    from zoneinfo import ZoneInfo

    try:
        if name is not None:
            return ZoneInfo(name.lstrip(":") or "UTC")
        with open(_LOCAL_TIME, "rb") as stream:
            return ZoneInfo.from_file(stream)
    except (OSError, ValueError, LookupError):  # no file, no zone, or rules without a name
        zone = datetime.now().astimezone().tzinfo
        assert zone is not None
        return zone


def zone_name() -> str | None:
    """The IANA name of the machine's zone, for time literals that name none; None means UTC."""
    import os

    return _name_of(os.environ.get("TZ"))


@cache
def _name_of(zone: str | None) -> str | None:
    import os

    from classad.errors import ClassAdValueError
    from classad.language.times import check_zone

    place = zone.lstrip(":") if zone is not None else os.path.realpath(_LOCAL_TIME)
    place = place.rpartition("zoneinfo/")[2]
    try:
        check_zone(place)
    except ClassAdValueError:
        return None
    return place


def _home_of(user: str) -> str | None:
    try:
        import pwd

        return pwd.getpwnam(user).pw_dir
    except (ImportError, KeyError):
        return None


#: The context of evaluations outside of every ``with`` block of ``classad.binding.ambient``.
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


def register(function: Callable[..., object], name: str | None = None) -> None:
    """Let expressions call a Python function, by its own name or another.

    The arguments are evaluated and converted; a function with a parameter ``state`` is given the
    ad in it.  What the function raises reaches the caller.  The functions of the language cannot
    be replaced.  ``TypeError``: not callable.  ``functions`` does the same for one block only.

    >>> from classad import ExprTree
    >>> register(lambda text: text[::-1], "backwards")
    >>> ExprTree('backwards("abc")').eval()
    'cba'
    """
    spelled = name if name is not None else getattr(function, "__name__", "")
    REGISTERED[fold_name(spelled)] = declare(function, spelled)


def registerLibrary(path: str) -> None:  # noqa: N802 - HTCondor's name
    """Refused: libraries are made for HTCondor's own ClassAd library, which is not used here."""
    from classad.errors import ClassAdOSError

    raise ClassAdOSError(f"cannot load `{path}`: it is made for HTCondor's ClassAd library")


def declare(function: Callable[..., object], name: str) -> Builtin:
    """The declaration of a Python function, as those of the builtin functions."""
    from classad.evaluation.functions import ANYTHING, RAW, Builtin

    if not callable(function):
        raise TypeError(f"`{name}` must be callable")
    wants_state = _wants_state(function)

    def call(site: CallSite) -> Stored:
        from classad.binding.convert import to_node
        from classad.binding.python_values import to_python

        values = [to_python(site.evaluate(node)) for node in site.args]
        extra = {"state": _seen(site.ad)} if wants_state else {}
        return site.evaluate(to_node(function(*values, **extra), f"result of {name}"))

    doc = (function.__doc__ or "").strip()
    return Builtin(name, "python", 0, None, RAW, ANYTHING, "as the function does", doc, (), call)


def _seen(ad: Ad | None) -> Ad | None:
    """The ad as Python users see it: a nested one as a copy."""
    return FACTORIES[Ad](ad) if ad.__class__ is Ad or ad.__class__ is CopiedAd else ad


def _wants_state(function: Callable[..., object]) -> bool:
    from inspect import Parameter, signature

    try:
        parameters = signature(function).parameters
    except (TypeError, ValueError):
        return False
    return "state" in parameters or any(
        parameter.kind is Parameter.VAR_KEYWORD for parameter in parameters.values()
    )


__all__ = ["evaluating", "functions", "semantics"]


@contextmanager
def evaluating(
    *,
    now: float | None = None,
    tz: tzinfo | None = None,
    seed: int | None = None,
    strict: bool | None = None,
    language: LanguageRules | None = None,
) -> Iterator[AmbientContext]:
    """Evaluate with another clock, zone, random seed or semantics inside a ``with`` block.

    ``now``: seconds since 1970 UTC, at which the clock stands still.  ``tz``: the local zone.
    ``seed``: starts the random numbers anew.  ``strict``: see ``semantics``.  ``language``: the
    rules of a version of HTCondor, also for texts that are read.  What is not given stays as it is
    outside.  The block concerns this thread (or task) only.

    >>> from classad import ExprTree
    >>> with evaluating(now=1_000_000_000, seed=1):
    ...     ExprTree("time()").eval()
    ...     first = ExprTree("random(1000)").eval()
    1000000000
    >>> with evaluating(seed=1):
    ...     ExprTree("random(1000)").eval() == first
    True
    """
    context = current_context().within(now=now, tz=tz, seed=seed, strict=strict, language=language)
    with _block(context):
        yield context


@contextmanager
def functions(**callables: Callable[..., object]) -> Iterator[None]:
    """Let expressions call Python functions inside a ``with`` block, in this thread (or task) only.

    A function is called as those given to ``register`` are.  ``TypeError``: not callable.

    >>> from classad import ExprTree
    >>> with functions(twice=lambda x: 2 * x):
    ...     ExprTree("Twice(4)").eval()
    8
    >>> ExprTree("Twice(4)").eval()
    <Value.Error: 1>
    """
    from classad.language.names import fold_name

    table = {fold_name(name): declare(function, name) for name, function in callables.items()}
    with _block(current_context().within(functions=table)):
        yield


@contextmanager
def semantics(kind: Literal["old", "new"]) -> Iterator[None]:
    """Choose one of HTCondor's two semantics for a ``with`` block.

    ``old`` is what the daemons use and the default.  ``new`` is what STRICT_CLASSAD_EVALUATION
    asks for: an unscoped name is not looked for in the target, ``MY`` exists only in a match, there
    is no ``CurrentTime``, and an integer may begin with a zero.  Texts are parsed when expressions
    and ads are made of them, so make them inside the block.  ``ValueError``: another word.

    >>> from classad import ClassAd, ExprTree
    >>> ExprTree("Memory").eval(ClassAd(), ClassAd({"Memory": 1}))
    1
    >>> with semantics("new"):
    ...     ExprTree("Memory").eval(ClassAd(), ClassAd({"Memory": 1}))
    <Value.Undefined: 2>
    """
    if kind not in ("old", "new"):
        raise ValueError(f"semantics must be old or new, not `{kind}`")
    with _block(current_context().within(strict=kind == "new")):
        yield


@contextmanager
def _block(context: AmbientContext) -> Iterator[None]:
    entry = object()
    token = CURRENT.set(context)
    OPEN_BLOCKS.append(entry)
    try:
        yield
    finally:
        OPEN_BLOCKS.remove(entry)
        CURRENT.reset(token)
