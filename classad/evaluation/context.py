"""Says what an evaluation is given: the instant, the zone, randomness, strictness, more functions.

All of them are arguments; an evaluation without a clock that asks for the time fails.  Reading the
clock, the environment and the password file of the machine is ``classad.binding.ambient``'s.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from classad.language.rules import NEWEST, LanguageRules

if TYPE_CHECKING:
    from datetime import tzinfo
    from random import Random

    from classad.evaluation.functions import Builtin
    from classad.language.values import ClassAdValue


class EvalContext:
    """The surroundings of an evaluation, for results that can be repeated.

    It asks nobody for what it is not given: without ``now`` an expression that asks for the time
    fails as a whole.  One context has one sequence of random numbers.

    >>> from classad import EvalContext, ExprTree
    >>> ExprTree("time() + 1").eval(context=EvalContext(now=1_000_000_000))
    1000000001

    ``now``: seconds since 1970 UTC.  ``tz``: the local zone (None: UTC).  ``rng`` or ``seed``: the
    source of ``random()`` (seed None: unpredictable).  ``strict``: STRICT_CLASSAD_EVALUATION, see
    ``semantics``.
    ``functions``: folded name -> declaration, for functions beyond the builtin ones.
    ``user_maps``: folded map name -> mapping from user to a comma-separated list, for
    ``userMap``.  ``home_of``: user name -> home directory or None, for ``userHome``.
    ``debug_sink``: called by ``debug`` with its argument's text and value.  ``language``: the rules
    of another version of HTCondor, see ``classad.language.rules.language_of``.
    """

    __slots__ = (
        "_rng", "debug_sink", "functions", "home_of", "language", "now", "seed", "strict", "tz",
        "user_maps",
    )  # fmt: skip

    now: float | None

    def __init__(
        self,
        now: float | None = None,
        tz: tzinfo | None = None,
        seed: int | None = 0,
        rng: Random | None = None,
        strict: bool = False,
        functions: Mapping[str, Builtin] | None = None,
        user_maps: Mapping[str, Mapping[str, str]] | None = None,
        home_of: Callable[[str], str | None] | None = None,
        debug_sink: Callable[[str, ClassAdValue], None] | None = None,
        language: LanguageRules = NEWEST,
    ) -> None:
        self.now = now
        self.tz = tz
        self.seed = seed
        self._rng = rng
        self.strict = strict
        self.functions = functions
        self.user_maps = user_maps
        self.home_of = home_of
        self.debug_sink = debug_sink
        self.language = language

    def in_language(self, language: LanguageRules) -> EvalContext:
        """The same surroundings with the rules of another version."""
        if language is self.language:
            return self
        return EvalContext(
            self.now, self.tz, self.seed, self.rng, self.strict, self.functions, self.user_maps,
            self.home_of, self.debug_sink, language,
        )  # fmt: skip

    @property
    def rng(self) -> Random:
        """The random numbers of this context, made from the seed when first asked for."""
        if self._rng is None:
            from random import Random

            self._rng = Random(self.seed)
        return self._rng

    def literal_zone(self) -> str | None:
        """The name of the zone of time literals that name none; None is UTC."""
        return getattr(self.tz, "key", None)


#: The context of evaluations that are given none: no clock, UTC, seed 0.
NO_CONTEXT: Final = EvalContext()
