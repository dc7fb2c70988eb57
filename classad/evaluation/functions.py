"""Declares functions and finds a declaration by name.

A function of the language is one ``@builtin(...)`` in ``classad/builtins``: how many arguments it
takes, where each of them is evaluated, what its value depends on besides their values, and the form
in which compilers may write it out.  Everything else that anybody knows about a function, checks
and generators of tests included, is asked of its declaration.

The families of ``classad.builtins`` are imported when the first function is looked up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum, Flag, auto
from functools import cache
from typing import Any, Final, NamedTuple, Protocol, TypeAlias, TypeVar

from classad.language.names import fold_name
from classad.language.rules import LanguageRules
from classad.language.values import ClassAdValue
from classad.patterns import late_regex
from classad.syntax.nodes import Call, Node, Reference


class Laziness(Enum):
    """How a function gets its arguments."""

    #: ``impl(state, *values)``: all evaluated, left to right.
    EAGER = "eager"
    #: ``impl(state, *thunks)``: each argument is a call without arguments that evaluates it.
    LAZY = "lazy"
    #: ``impl(site)`` with a ``CallSite``: the unevaluated nodes and the surrounding ad.
    RAW = "raw"


EAGER: Final = Laziness.EAGER
LAZY: Final = Laziness.LAZY
RAW: Final = Laziness.RAW


class Reads(Flag):
    """What the value of a function depends on besides the values of its arguments."""

    NOTHING = 0
    #: The instant of the evaluation.
    CLOCK = auto()
    #: The local zone.
    ZONE = auto()
    #: Random numbers.
    CHANCE = auto()
    #: What the evaluation was given from outside: user maps, home directories.
    ENVIRONMENT = auto()
    #: What changes while a cycle goes on: the usage of users.
    USAGE = auto()
    #: The expressions of attributes, not their values.
    EXPRESSIONS = auto()
    #: A text that is read as an expression, and with it all of the above.
    TEXT = auto()


NOTHING: Final = Reads.NOTHING
CLOCK: Final = Reads.CLOCK
ZONE: Final = Reads.ZONE
CHANCE: Final = Reads.CHANCE
ENVIRONMENT: Final = Reads.ENVIRONMENT
USAGE: Final = Reads.USAGE
EXPRESSIONS: Final = Reads.EXPRESSIONS
TEXT: Final = Reads.TEXT
#: What a function reads of which nothing is known.
ANYTHING: Final = ~Reads.NOTHING


class Where(Enum):
    """The context in which an argument is evaluated."""

    #: In the ad of the call.
    HERE = "here"
    #: In each ad of a list; a name of an attribute stands for that attribute's expression.
    IN_EACH = "in each"
    #: Not at all: it names an attribute, which is looked for as references are.
    FOUND = "found"
    #: Not at all: it names an attribute of the ad of the call.
    NAMED = "named"


class InlineForm(Enum):
    """A function that compilers may write out instead of calling it."""

    #: The second argument if the first is true, the third if it is false.
    CHOICE = "choice"
    #: Whether the argument is this very value.
    IS_UNDEFINED = "is undefined"
    IS_ERROR = "is error"
    #: The number of ads in a list, the second argument, in which the first one is true.
    COUNT = "count"


class ResultKind(Enum):
    """What a function can give at most, undefined and error aside."""

    ANY = "anything"
    CONDITION = "a boolean"
    #: A boolean that the kind of the argument decides, whatever its value.
    KIND = "whether the argument is of a kind"
    COUNT = "an integer from 0 on"
    INTEGER = "an integer"
    #: One of the two integers beside the argument, or the argument.
    ROUNDED = "an integer beside the argument"
    NUMBER = "a number"
    TEXT = "a string"
    LOWER = "a string in lower case"
    UPPER = "a string in upper case"
    LIST = "a list"
    #: Seconds since 1970.
    CLOCK = "the time of the evaluation"


class ArgumentColumn(Protocol):
    """The values that many calls have for one argument, as a bulk form sees them.

    ``memo``: what bulk forms found out about the values, kept with them.
    """

    memo: dict[str, object]

    def shared(self) -> ClassAdValue | None:
        """The value that all calls share; None if each has its own."""

    def texts(self) -> list[str] | None:
        """The values if each call has its own, and all are strings."""

    def values(self) -> list[ClassAdValue]:
        """All values."""


class Booleans(list[ClassAdValue]):
    """What a bulk form gives if all values are booleans, which need not be looked at again."""

    __slots__ = ()


#: What a function makes of columns of arguments: a value for each call; None if it is to be called
#: for each of them.
Bulk: TypeAlias = Callable[[Sequence[ArgumentColumn]], "list[ClassAdValue] | None"]
Implementation: TypeAlias = Callable[..., ClassAdValue]
_Impl = TypeVar("_Impl", bound=Implementation)


class Builtin(NamedTuple):
    """A declared function.

    ``reads``: what the value depends on besides the values of the arguments; ``reads_alone``: what
    it reads besides when called without arguments.  ``where``: the context of each argument, if not
    all are evaluated in the ad of the call.  ``form``: how compilers may write it out.  ``bulk``:
    the same function for many calls at once.

    ``guard``: an undefined argument is no surprise to it.  ``prints``: it takes any argument as
    text, as it is printed.  ``observed``: somebody outside sees each call, so none may be spared.
    ``result``: what it gives at most; ``fails``: it may end the evaluation as a whole.
    ``cased``: older versions know it by the spelling ``name`` only.
    """

    name: str
    family: str
    min_args: int
    max_args: int | None
    laziness: Laziness
    reads: Reads
    exceptional: str
    doc: str
    examples: tuple[str, ...]
    impl: Implementation
    reads_alone: Reads = NOTHING
    where: tuple[Where, ...] = ()
    form: InlineForm | None = None
    bulk: Bulk | None = None
    guard: bool = False
    prints: bool = False
    observed: bool = False
    result: ResultKind = ResultKind.ANY
    fails: bool = False
    cased: bool = False

    def is_spelled(self, name: str) -> bool:
        """Whether every version of HTCondor takes a name for this function."""
        return name == self.name or not self.cased

    def accepts(self, count: int) -> bool:
        """Whether the function can be called with this many arguments."""
        return self.min_args <= count and (self.max_args is None or count <= self.max_args)

    @property
    def arity(self) -> str:
        """The number of arguments as text: ``1``, ``1-2`` or ``0+``."""
        if self.max_args is None:
            return f"{self.min_args}+"
        if self.max_args == self.min_args:
            return str(self.min_args)
        return f"{self.min_args}-{self.max_args}"

    @property
    def ever_reads(self) -> Reads:
        """What it reads with or without arguments."""
        return self.reads | self.reads_alone

    @property
    def elsewhere(self) -> bool:
        """Whether an argument is evaluated, or looked for, in other ads than that of the call."""
        return Where.IN_EACH in self.where or Where.FOUND in self.where

    @property
    def deterministic(self) -> bool:
        """Whether equal arguments give equal values, whatever is around the call."""
        return not self.ever_reads and Where.IN_EACH not in self.where

    def varies_with(self, *causes: Reads) -> bool:
        """Whether the value, given the arguments' values, may depend on one of these."""
        reads = self.ever_reads
        return TEXT in reads or any(cause in reads for cause in causes)


class HasFunctions(Protocol):
    """What may declare functions of its own, as ``EvalContext`` does."""

    @property
    def functions(self) -> Mapping[str, Builtin] | None:
        """Folded name -> declaration."""

    @property
    def language(self) -> LanguageRules:
        """The rules by which a name is that of a function."""


def lookup_function(name: str, context: HasFunctions | None = None) -> Builtin | None:
    """The builtin function, or the context's own function, of this name."""
    key = fold_name(name)
    found = load().get(key)
    if found is None:
        if context is not None and context.functions is not None:
            found = context.functions.get(key)
    elif found.cased and name != found.name and context is not None:
        return found if context.language.names_in_any_case else None
    return found


def form_of(name: str, count: int) -> InlineForm | None:
    """The form of a call with so many arguments, if it has one."""
    found = load().get(fold_name(name))
    return found.form if found is not None and found.accepts(count) else None


def may_move(*nodes: Node) -> bool:
    """Whether what follows nodes in their expression may be evaluated in another ad.

    So it is behind a search for an attribute that does not end in the ad of the call, see
    ``EvalState.move``.
    """
    todo = list(nodes)
    while todo:
        node = todo.pop()
        if isinstance(node, Call) and node.args and isinstance(node.args[0], Reference):
            found = load().get(fold_name(node.name))
            if found is not None and found.elsewhere:
                return True
        todo += node.children()
    return False


_CALLED: Final = late_regex(r"\w\s*\(")


@cache
def _searching() -> tuple[str, ...]:
    """The functions whose calls may move the evaluation, in lower case."""
    return tuple(name for name, found in load().items() if found.elsewhere)


def names_search(text: str) -> bool:
    """Whether a text names a function whose call may move the evaluation, see ``may_move``."""
    if "(" not in text or _CALLED.search(text) is None:
        return False  # the families need not be imported
    lower = text.lower()
    return any(map(lower.__contains__, _searching()))


def suggest_function(name: str, context: HasFunctions | None = None) -> str | None:
    """The builtin function, or the context's own, that an unknown name was probably meant to be."""
    from classad.errors import suggest

    in_other_case = load().get(fold_name(name))
    if in_other_case is not None:
        return in_other_case.name
    own: Iterable[Builtin] = ()
    if context is not None and context.functions is not None:
        own = context.functions.values()
    return suggest(name, (function.name for function in (*load().values(), *own)))


#: The family modules, in the order in which the documentation lists them.
FAMILIES: Final = (
    "types", "numbers", "strings", "stringlists", "lists", "regex", "time", "environment", "ads",
)  # fmt: skip


_loaded = False


def load() -> dict[str, Builtin]:
    """The table of all builtin functions by folded name."""
    global _loaded

    if not _loaded:
        from importlib import import_module

        for family in FAMILIES:
            import_module(f"classad.builtins.{family}")
        _loaded = True
    return FUNCTIONS


#: Folded name -> declaration.  Filled when the family modules are imported.
FUNCTIONS: Final[dict[str, Builtin]] = {}


def builtin(
    *names: str,
    args: int | tuple[int, int | None],
    laziness: Laziness = EAGER,
    reads: Reads = NOTHING,
    exceptional: str = "undefined gives undefined, error gives error",
    examples: Sequence[str] = (),
    doc: str | None = None,
    **more: Any,
) -> Callable[[_Impl], _Impl]:
    """Declare a builtin function.

    ``names``: HTCondor's spelling, synonyms after it.  ``args``: the number of arguments or the
    range (None: no upper bound); a call outside it is an error value, its arguments unevaluated.
    ``exceptional``: what undefined and error arguments do, in words.  ``examples``: lines
    ``expr -> value`` that the tests run.  ``doc``: what is documented, if not the docstring.
    ``more``: other fields of ``Builtin``.
    """
    low, high = (args, args) if isinstance(args, int) else args

    def declare(impl: _Impl) -> _Impl:
        family = impl.__module__.rpartition(".")[2]
        told = exceptional, (doc or impl.__doc__ or "").strip(), tuple(examples)
        for name in names:
            folded = name.lower()
            if folded in FUNCTIONS:
                raise ValueError(f"builtin {name} is declared twice")
            FUNCTIONS[folded] = Builtin(
                name, family, low, high, laziness, reads, *told, impl, **more
            )
        return impl

    return declare
