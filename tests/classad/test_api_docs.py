"""The API reference is complete: every public name has a docstring and is in ``docs/api.md``."""

from __future__ import annotations

import inspect
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import classad
from tests.cases import every_case

PAGE = (Path(__file__).parents[2] / "docs" / "api.md").read_text()
PUBLIC = [*classad.__all__, "compile"]
DIRECTIVE = re.compile(r"^\.\. auto\w+:: classad\.([\w.]+)$", re.MULTILINE)


def members(kind: type) -> Iterator[tuple[str, Any]]:
    """The public methods of a class that this package defines."""
    for name, item in inspect.getmembers(kind):
        function = getattr(item, "fget", None) or item
        module = getattr(function, "__module__", None) or ""
        if not name.startswith("_") and callable(function) and module.startswith("classad"):
            yield name, item


@every_case("name", PUBLIC)
def test_public_names_are_documented(name: str) -> None:
    item = getattr(classad, name)
    assert inspect.getdoc(item)
    assert name in DIRECTIVE.findall(PAGE)
    if inspect.isclass(item):
        for member, method in members(item):
            assert inspect.getdoc(method), f"{name}.{member}"


def test_the_page_has_no_name_that_is_gone() -> None:
    for name in DIRECTIVE.findall(PAGE):
        assert pkgutil.resolve_name(f"classad.{name}") is not None


def test_public_functions_have_examples() -> None:
    # Those that need a package which may not be there have tests instead.
    without = {
        "registerLibrary", "from_classad2", "to_classad2", "to_pandas", "to_polars", "to_arrow",
    }  # fmt: skip
    for name in PUBLIC:
        item = getattr(classad, name)
        if inspect.isfunction(item) and name not in without:
            assert ">>>" in (inspect.getdoc(item) or ""), name


def test_public_functions_are_annotated() -> None:
    for name in PUBLIC:
        item = getattr(classad, name)
        if inspect.isfunction(item):
            signature = inspect.signature(item)
            assert signature.return_annotation is not inspect.Signature.empty, name
            for parameter in signature.parameters.values():
                assert parameter.annotation is not inspect.Parameter.empty, (name, parameter)


def test_late_names_are_listed_and_unknown_ones_are_errors() -> None:
    assert set(PUBLIC) <= set(dir(classad))
    with pytest.raises(AttributeError, match="nothing_like_this"):
        classad.nothing_like_this  # type: ignore[attr-defined]  # noqa: B018
    namespace: dict[str, Any] = {}
    exec("from classad import *", namespace)
    assert "match_many" in namespace
    assert "compile" not in namespace
