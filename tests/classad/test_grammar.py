"""The grammar builds with every builder, and is read when a text needs it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from classad import kernels
from classad.syntax.actions import BUILDERS
from classad.syntax.grammar import grammar_text, load_grammar

ROOT = Path(__file__).parents[2]


def test_every_alternative_has_a_builder_and_every_builder_an_alternative() -> None:
    building = {builder for _, _, builder in load_grammar().rules}
    assert building == {*BUILDERS, None}


def test_the_grammar_is_the_file_of_the_checkout() -> None:
    assert grammar_text() == (ROOT / "grammar" / "classad.lark").read_text(encoding="utf-8")


@pytest.mark.skipif(kernels.native is None, reason="the C parser is not built here")
@pytest.mark.parametrize(("text", "needed"), [("a + f(1) > 2", False), ("a + é", True)])
def test_lark_is_imported_for_what_the_c_parser_refuses(text: str, needed: bool) -> None:
    code = f"""
import sys
from classad import ExprTree
try:
    ExprTree({text!r})
except ValueError:
    pass
print("lark" in sys.modules)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == f"{needed}\n"
