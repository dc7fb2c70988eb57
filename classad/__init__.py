"""The ClassAd language of HTCondor: values, expressions, ads, matching.

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
Memory = 4096
Rank = TARGET.JobPrio * 2
Requirements = true

Evaluation through these names follows HTCondor's daemons, knows the clock and the zone of the
machine and has a random generator; the packages built on this one pass their own.
"""

from classad.ad import ClassAd
from classad.adfile import read_ads, write_ads
from classad.api import (
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
from classad.api import (
    _convert_local_datetime_to_utc_ts as _convert_local_datetime_to_utc_ts,
)
from classad.building import Attribute, Function, Literal
from classad.errors import (
    ClassAdEnumError,
    ClassAdEvaluationError,
    ClassAdException,
    ClassAdInternalError,
    ClassAdOSError,
    ClassAdParseError,
    ClassAdTypeError,
    ClassAdValueError,
)
from classad.expr import ExprTree
from classad.refset import RefSet, refs
from classad.registration import register, registerLibrary
from classad.state import EvalContext
from classad.surroundings import evaluating, functions, semantics
from classad.values import Value

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
    "Literal",
    "Parser",
    "ParserType",
    "RefSet",
    "Value",
    "compat_version",
    "evaluating",
    "functions",
    "lastError",
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
    "unquote",
    "version",
    "write_ads",
]

#: HTCondor's older name of ``ParserType``.
Parser = ParserType

#: Tells this package from HTCondor's retired one of the same name; ``policy`` checks it.
__product__ = "pieslice"
