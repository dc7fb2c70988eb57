"""Many small cases of one rule in one test: each is tried, and those are named that break it.

A test of its own for each costs more than most cases do, and says no more.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, TypeAlias

Test: TypeAlias = Callable[..., None]
#: Failures that are shown.
MOST = 10


def every_case(
    names: str,
    cases: Iterable[Any] | Callable[[], Iterable[Any]],
    *,
    name: Callable[..., str] = str,
) -> Callable[[Test], Test]:
    """As ``pytest.mark.parametrize``, in one test, for which all fixtures are made once.

    ``names``: the arguments that take a case, with commas; ``cases``: the cases, or what makes
    them when the test runs; ``name``: what a case is called.
    """
    taking = [one.strip() for one in names.split(",")]

    def decorate(test: Test) -> Test:
        signature = inspect.signature(test)

        @wraps(test)
        def run(**fixtures: Any) -> None:
            failures: list[Exception] = []
            tried = 0
            for case in cases() if callable(cases) else cases:
                tried += 1
                values = (case,) if len(taking) == 1 else case
                try:
                    test(**dict(zip(taking, values, strict=True)), **fixtures)
                except Exception as failure:
                    failure.add_note(f"case: {name(case)[:200]}")
                    failures.append(failure)
            assert tried, "there is no case"
            if failures:
                raise ExceptionGroup(f"{len(failures)} of {tried} cases", failures[:MOST])

        left = [each for each in signature.parameters.values() if each.name not in taking]
        run.__signature__ = signature.replace(parameters=left)  # type: ignore[attr-defined]
        return run

    return decorate
