"""The ClassAd language of HTCondor: values, expressions, ads, matching; knows no pool, and never
prints.

``ClassAd`` and ``ExprTree`` and the functions here have the names, conversions and exceptions of
HTCondor's own Python module ``classad2``, so code written for that runs unchanged; the names of
the retired ``classad`` module (``Attribute``, ``Function``, ``register``, ...) are here too.

>>> import classad
>>> job = classad.ClassAd("[RequestMemory = 2048; Requirements = TARGET.Memory >= RequestMemory]")
>>> slot = classad.ClassAd({"Memory": 4096, "Requirements": True})
>>> job.symmetricMatch(slot)
True
>>> classad.ExprTree("Memory / 1024").eval(slot)
4
>>> slot["Rank"] = classad.ExprTree("TARGET.JobPrio * 2")
>>> print(slot.printOld(), end="")
Rank = TARGET.JobPrio * 2
Memory = 4096
Requirements = true

Evaluation through these names follows HTCondor's daemons, knows the clock and the zone of the
machine and has a random generator; the packages built on this one pass their own.
"""

from typing import TYPE_CHECKING

from classad.errors import (
    ClassAdEnumError,
    ClassAdEvaluationError,
    ClassAdException,
    ClassAdInternalError,
    ClassAdOSError,
    ClassAdParseError,
    ClassAdTypeError,
    ClassAdValueError,
    LimitError,
    V1Warning,
)
from classad.foreign import refuse_mixture
from classad.language.values import Value

if TYPE_CHECKING:
    from classad.analysis.mentions import RefSet, refs
    from classad.binding.ad import ClassAd
    from classad.binding.ambient import evaluating, functions, register, registerLibrary, semantics
    from classad.binding.batch import MatchResult, evaluate_many, match_many
    from classad.binding.batch import compile as compile  # noqa: A004 - see __all__
    from classad.binding.classad2 import from_classad2, to_classad2
    from classad.binding.expr import Attribute, ExprTree, Function, Literal
    from classad.binding.functions import (
        Parser,
        ParserType,
        compat_version,
        lastError,
        parse,
        parseAds,
        parseNext,
        parseOld,
        parseOldAds,
        parseOne,
        quote,
        unquote,
        version,
    )
    from classad.binding.functions import (
        _convert_local_datetime_to_utc_ts as _convert_local_datetime_to_utc_ts,
    )
    from classad.evaluation.context import EvalContext
    from classad.files.ads import read_ads, write_ads
    from classad.frames.ads import to_arrow, to_dicts, to_pandas, to_polars
    from classad.frames.table import Table
    from classad.language.bounds import limits
    from classad.language.rules import LanguageRules, language_of
    from classad.table import Rows

# `compile` is not listed, so that `from classad import *` spares Python's own.
__all__ = [
    "Attribute",
    "ClassAd",
    "ClassAdEnumError",
    "ClassAdEvaluationError",
    "ClassAdException",
    "ClassAdInternalError",
    "ClassAdOSError",
    "ClassAdParseError",
    "ClassAdTypeError",
    "ClassAdValueError",
    "EvalContext",
    "ExprTree",
    "Function",
    "LanguageRules",
    "LimitError",
    "Literal",
    "MatchResult",
    "Parser",
    "ParserType",
    "RefSet",
    "Rows",
    "Table",
    "V1Warning",
    "Value",
    "compat_version",
    "evaluate_many",
    "evaluating",
    "from_classad2",
    "functions",
    "language_of",
    "lastError",
    "limits",
    "match_many",
    "parse",
    "parseAds",
    "parseNext",
    "parseOld",
    "parseOldAds",
    "parseOne",
    "quote",
    "read_ads",
    "refs",
    "register",
    "registerLibrary",
    "semantics",
    "to_arrow",
    "to_classad2",
    "to_dicts",
    "to_pandas",
    "to_polars",
    "unquote",
    "version",
    "write_ads",
]

refuse_mixture(__path__[0])

#: Tells this package from HTCondor's retired one of the same name; ``policy`` checks it.
__product__ = "pieslice"

#: Names that are imported when they are first used, so that ``import classad`` stays light.
_LATER = {
    "analysis.mentions": ("RefSet", "refs"),
    "binding.ad": ("ClassAd",),
    "binding.ambient": (
        "evaluating",
        "functions",
        "register",
        "registerLibrary",
        "semantics",
    ),
    "binding.batch": ("MatchResult", "compile", "evaluate_many", "match_many"),
    "binding.expr": ("Attribute", "ExprTree", "Function", "Literal"),
    "binding.classad2": ("from_classad2", "to_classad2"),
    "binding.functions": (
        *("Parser", "ParserType", "_convert_local_datetime_to_utc_ts", "compat_version"),
        *("lastError", "parse", "parseAds", "parseNext", "parseOld", "parseOldAds", "parseOne"),
        *("quote", "unquote", "version"),
    ),
    "evaluation.context": ("EvalContext",),
    "files.ads": ("read_ads", "write_ads"),
    "frames.ads": ("to_arrow", "to_dicts", "to_pandas", "to_polars"),
    "frames.table": ("Table",),
    "language.bounds": ("limits",),
    "language.rules": ("LanguageRules", "language_of"),
    "table": ("Rows",),
}

if not TYPE_CHECKING:

    def __getattr__(name):
        for module, names in _LATER.items():
            if name in names:
                from importlib import import_module

                value = globals()[name] = getattr(import_module(f"classad.{module}"), name)
                return value
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__():
        return sorted({*globals(), *(name for names in _LATER.values() for name in names)})
