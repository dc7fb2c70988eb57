"""The examples in the docstrings of ``classad`` run, in every module, and none is lost unseen."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import classad
from tests.cases import every_case

MODULES = sorted(
    info.name
    for info in pkgutil.walk_packages(classad.__path__, "classad.")
    if not info.name.endswith(("__main__", "_kernels"))
)


@pytest.mark.slow
@every_case("name", ["classad", *MODULES])
def test_documented_examples(name: str) -> None:
    found = doctest.testmod(importlib.import_module(name))
    assert not found.failed


def test_the_modules_with_examples_are_among_them() -> None:
    finder = doctest.DocTestFinder(exclude_empty=True)
    counted = {
        name: sum(len(test.examples) for test in finder.find(importlib.import_module(name)))
        for name in ["classad", *MODULES]
    }
    having = {name.rpartition(".")[2] for name, count in counted.items() if count}
    assert having >= {"classad", "ads", "functions", "expr", "ad", "ambient"}
    assert sum(counted.values()) >= 50
