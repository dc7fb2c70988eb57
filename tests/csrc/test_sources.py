"""The C sources keep the house rules that a compiler does not check."""

import re
from pathlib import Path

import pytest

from tests.csrc import declared

CSRC = Path(__file__).parents[2] / "csrc"
SOURCES = sorted(CSRC.glob("*.[ch]"))


def without_comments(text: str) -> str:
    return re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)


def test_what_is_made_from_the_declarations_is_up_to_date() -> None:
    assert declared.HEADER.read_text("ascii") == declared.header(), (
        "run python -m tests.csrc.declared"
    )


def test_every_exported_function_has_the_prefix() -> None:
    for path in SOURCES:
        for name in re.findall(r"^(?!static|typedef)\w[\w *]*?(\w+)\(", path.read_text(), re.M):
            assert name.startswith("ca_"), f"{path.name}: {name}"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.name))
def test_a_kernel_keeps_no_state_and_knows_no_policy(path: Path) -> None:
    code = without_comments(path.read_text())
    assert not re.search(r"\b(malloc|alloca|printf|errno|strtod|atof|setlocale)\b", code)
    # Only a load owns memory.
    owner = path.name in ("intern.c", "cells.c")
    assert owner or not re.search(r"\b(calloc|realloc|free)\b", code)
    variable = r"^(?!typedef |static const )[A-Za-z_][\w ]*[ *]\w+(\[\w*\])?\s*(=.*)?;"
    assert not re.search(variable, code, re.M), "a global variable"
    assert "rank" not in path.read_text().lower()
