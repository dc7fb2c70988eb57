"""The files for editors are those that the declarations give, and colour texts alike."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from attr import fields

import pieslice
from docs.written.colours import KINDS, pages
from pieslice.lsp.settings import EditorSettings

ROOT = Path(__file__).parents[1]
EDITORS = ROOT / "editors"
FILES = {
    "condor-config.tmLanguage.json": "vscode/syntaxes",
    "classad.tmLanguage.json": "vscode/syntaxes",
    "condor-config.vim": "vim/syntax",
    "classad.vim": "vim/syntax",
}
EXAMPLES = [
    *sorted((ROOT / "examples").glob("*/condor_config")),
    *sorted((ROOT / "examples" / "policies").glob("*/*")),
]
ADS = sorted((ROOT / "examples").glob("*/submitters.ads"))
ODD = r"""
# a comment \
A = 1 + \
    $(B:2) "a $(C) b" \
# a comment inside \
  3
if version >= 25.0 && defined X
  use POLICY : Always_Run, $(Y)
endif
include ifexist : /etc/$(X).conf
X @=end
  # no comment
  JobPrio > 12.5e3 || MY.Rank =?= undefined isnt
@endless
@end
START = ifThenElse (TARGET.trueish, FALSE, $$(OpSys)) && $RANDOM_CHOICE(1,2) >>> 3
node1.RANK += "open
Y = path/to/7.x cpus=1 7% -5
use = 3
"""


# --- a TextMate engine, as far as our grammars go -------------------------------------------------


class TextMate:
    """Colours a text line by line: what matches first wins, of several at one place the first."""

    def __init__(self, grammar: Mapping[str, Any]) -> None:
        self.top = grammar["patterns"]
        self.rules = grammar["repository"]

    @cache  # noqa: B019 - there are two
    def compiled(self, pattern: str) -> re.Pattern[str]:
        return re.compile(pattern)

    def colours(self, text: str) -> Iterator[list[str]]:
        """The scope of each character of each line; empty for none."""
        stack: list[tuple[Mapping[str, Any], str]] = []
        for line in text.split("\n"):
            marks = [""] * len(line)
            at = 0
            while True:
                step = self._step(line, at, stack, marks)
                if step is None:
                    break
                at = step
            if stack:
                self._fill(marks, at, len(line), stack)
            yield marks

    def _fill(self, marks: list[str], start: int, end: int, stack: list[Any]) -> None:
        name = next((rule["name"] for rule, _ in reversed(stack) if "name" in rule), "")
        marks[start:end] = [name] * (end - start)

    def _step(self, line: str, at: int, stack: list[Any], marks: list[str]) -> int | None:
        options = []
        if stack:
            options.append((self.compiled(stack[-1][1]).search(line, at), None))
        for one in stack[-1][0]["patterns"] if stack else self.top:
            rule = self.rules[one["include"][1:]]
            pattern = self.compiled(rule.get("match") or rule["begin"])
            options.append((pattern.search(line, at), rule))
        found = [(hit.start(), number) for number, (hit, _) in enumerate(options) if hit]
        if not found:
            return None
        hit, rule = options[min(found)[1]]
        assert hit is not None
        self._fill(marks, at, hit.start(), stack)
        if rule is None:
            ended = stack.pop()[0]
            marks[hit.start() : hit.end()] = [ended["endCaptures"]["0"]["name"]] * len(hit[0])
        elif "match" in rule:
            marks[hit.start() : hit.end()] = [rule["name"]] * len(hit[0])
        else:
            for number, capture in sorted(rule["beginCaptures"].items()):
                start, end = hit.span(int(number))
                marks[start:end] = [capture["name"]] * (end - start)
            end_pattern = re.sub(r"\\1", lambda _: re.escape(hit[1]), rule["end"])
            stack.append((rule, end_pattern))
        assert hit[0] or rule is None, "a match of nothing goes on for ever"
        return hit.end()


def vim_groups(language: str, text: str) -> list[list[str]]:
    """The group of each character, as TextMate's colours are called in Vim."""
    engine = TextMate(json.loads(pages()[f"{language}.tmLanguage.json"]))
    groups = {f"{scope}.{language}": group for scope, group in KINDS.values()}
    return [[groups.get(one, "") for one in line] for line in engine.colours(text)]


# --- tests ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FILES)
def test_the_files_are_those_that_are_written(name: str) -> None:
    path = EDITORS / FILES[name] / name
    advice = f"python -m docs.written {name} > {path.relative_to(ROOT)}"
    assert path.read_text() == pages()[name], advice


@pytest.mark.parametrize(
    ("line", "word", "group"),
    [
        ("# A = 1", "A", "Comment"),
        ("START = MY.x", "START", "Identifier"),
        ("node1.START += 2", "+=", "Operator"),
        ("START = MY.x", "MY", "Special"),
        ("START = a.MY.x", "a", ""),
        ("X = $(Y) z", "$(Y)", "PreProc"),
        ('X = "a $(Y) b"', "$(Y)", "PreProc"),
        ('X = "a $(Y) b"', " b", "String"),
        ("X = strcat(1)", "strcat", "Function"),
        ("X = StrCat (1)", "StrCat", "Function"),
        ("X = strcat", "strcat", ""),
        ("X = undefined", "undefined", "Constant"),
        ("X = undefinedness", "undefined", ""),
        ("X = 1.5e3", "1.5e3", "Number"),
        ("X = /a/7.x", "7", ""),
        ("X = a =?= b", "=?=", "Operator"),
        ("use POLICY : DESKTOP", "use", "Statement"),
        ("use POLICY : DESKTOP", "DESKTOP", "Type"),
        ("use = 3", "use", "Identifier"),
        ("if defined X", "defined", "Statement"),
        ("include ifexist : x", "ifexist", "Statement"),
        ("X @=y", "X", "Identifier"),
    ],
)
def test_words_have_their_colours(line: str, word: str, group: str) -> None:
    [found] = vim_groups("condor-config", line)
    at = line.index(word)
    assert set(found[at : at + len(word)]) == {group}


def test_values_go_on_behind_a_backslash_and_end_without_one() -> None:
    lines = vim_groups("condor-config", "A = 1 \\\n  true\ntrue\nB @=x\n true = 1\n@x\nC = 1")
    assert lines[1][2] == "Constant"
    assert lines[2] == [""] * 4
    assert lines[4][1] == "Constant"
    assert lines[6][0] == "Identifier"


def test_the_extension_is_a_zip_that_has_what_it_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without npm, which puts the client together: with the colours alone."""
    monkeypatch.setenv("PATH", str(tmp_path))
    target = tmp_path / "out" / "pieslice.vsix"
    script = EDITORS / "pack.py"
    done = subprocess.run([sys.executable, script, target], capture_output=True, text=True)
    assert (done.returncode, done.stderr.count("\n")) == (0, 1), done.stderr
    with zipfile.ZipFile(target) as archive:
        names = set(archive.namelist())
        package = json.loads(archive.read("extension/package.json"))
        manifest = archive.read("extension.vsixmanifest").decode()
    named = [one["path"] for one in package["contributes"]["grammars"]]
    named += [one["configuration"] for one in package["contributes"]["languages"]]
    assert {"[Content_Types].xml", "extension/LICENSE.txt"} <= names
    assert {f"extension/{path[2:]}" for path in named} <= names
    assert "main" not in package
    assert f'Version="{pieslice.__version__}"' in manifest


def test_the_extension_has_the_settings_of_the_server() -> None:
    package = json.loads((EDITORS / "vscode" / "package.json").read_text())
    offered = package["contributes"]["configuration"]["properties"]
    known = {
        f"pieslice.{one.metadata.get('name', one.name)}": one for one in fields(EditorSettings)
    }
    assert offered.keys() - {"pieslice.command"} == known.keys()
    assert all(offered[name]["default"] == one.default for name, one in known.items())
    page = (ROOT / "docs" / "editors.md").read_text()
    assert all(f"`{name.removeprefix('pieslice.')}`" in page for name in known)


VIM = """
set nocompatible
let g:found = []
for [g:name, g:language] in json_decode(join(readfile('files.json'), ''))
  execute 'edit' fnameescape(g:name)
  setlocal synmaxcol=0
  syntax clear
  unlet! b:current_syntax
  execute 'source' g:language . '.vim'
  let g:lines = []
  for g:line in range(1, line('$'))
    let g:groups = []
    for g:column in range(1, len(getline(g:line)))
      call add(g:groups, synIDattr(synIDtrans(synID(g:line, g:column, 1)), 'name'))
    endfor
    call add(g:lines, g:groups)
  endfor
  call add(g:found, g:lines)
endfor
call writefile([json_encode(g:found)], 'found.json')
qall!
"""


@pytest.mark.slow
def test_vim_colours_the_examples_as_textmate_does(tmp_path: Path) -> None:
    vim = shutil.which("vim")
    told = subprocess.run([vim, "--version"], capture_output=True, text=True).stdout if vim else ""
    if "+syntax" not in told:
        pytest.skip("there is no vim that colours")
    (tmp_path / "odd").write_text(ODD)
    cases = [(path, "condor-config") for path in (*EXAMPLES, tmp_path / "odd")]
    cases += [(path, "classad") for path in ADS]
    for language in ("condor-config", "classad"):
        (tmp_path / f"{language}.vim").write_text(pages()[f"{language}.vim"])
    (tmp_path / "files.json").write_text(json.dumps([(str(path), what) for path, what in cases]))
    (tmp_path / "script.vim").write_text(VIM)
    subprocess.run(
        [str(vim), "-N", "-u", "NONE", "-i", "NONE", "-es", "-S", "script.vim"],
        cwd=tmp_path, timeout=300, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    found = json.loads((tmp_path / "found.json").read_text())
    for (path, language), lines in zip(cases, found, strict=True):
        text = path.read_text()
        # What only holds others has a group of its own, and no colour.
        theirs = [["" if one.endswith("_") else one for one in line] for line in lines]
        for number, mine in enumerate(vim_groups(language, text)[: len(theirs)]):
            line = text.split("\n")[number]
            if line.isascii():
                pairs = [
                    (letter, one, other)
                    for letter, one, other in zip(line, mine, theirs[number], strict=True)
                    if one != other and letter not in " \t"
                ]
                assert not pairs, f"{path}:{number + 1}: {line}\n{pairs}"
