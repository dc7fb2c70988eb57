"""Registers Python functions that expressions may call; ``classad.binding.blocks`` has scopes.

The arguments of a call are evaluated and converted as everywhere in the interface.  A function with
a parameter ``state`` (or any keyword) is given the ad.  An exception that it raises ends the
evaluation and reaches the caller.  Builtin functions cannot be replaced.

Inputs: callables.  Outputs: declarations in the table that ``classad.binding.ambient`` evaluates
with.
Follows: ``register`` of HTCondor's retired v1 binding; names are compared without case.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from classad.ads.ad import Ad, CopiedAd, Stored
from classad.binding.ambient import REGISTERED
from classad.binding.python_values import FACTORIES
from classad.language.names import fold_name

if TYPE_CHECKING:
    from classad.evaluation.functions import Builtin
    from classad.evaluation.state import CallSite


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
