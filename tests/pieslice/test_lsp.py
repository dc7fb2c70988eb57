"""What the language server answers an editor, whatever that sends."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pygls")

from tests.pieslice.editors import PATIENCE, Editor, LspError

ROOT = Path(__file__).parents[2]
HANDSHAKES = sorted((Path(__file__).parent / "handshakes").glob("*.json"))
CONFIG = """\
# 𝒞 the pool
include : $(CONFIG_ROOT)/groups.conf
BASE = 1.2
PREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmitterUserPrio * $(BASE)
GROUP_ACCEPT_SURPLUS = True
GROUP_ACCEPT_SURPLUS_physics = False
START = TARGET.AcctGroup =!= "physics"
"""
GROUPS = "GROUP_NAMES = physics, physics.hep\nGROUP_QUOTA_DYNAMIC_physics = 0.5\n"
GROUPS += "GROUP_QUOTA_DYNAMIC_physics.hep = 0.5\n"


@pytest.fixture
def pool(tmp_path: Path) -> Path:
    """The folder of a configuration of two files."""
    (tmp_path / "condor_config").write_text(CONFIG)
    (tmp_path / "groups.conf").write_text(GROUPS)
    return tmp_path


@pytest.fixture(scope="module")
def shared() -> Iterator[Editor]:
    """One editor for all tests that leave nothing behind."""
    with Editor() as editor:
        yield editor
        assert editor.end() == "", "nothing is written beside the protocol"
        assert editor.process.returncode == 0


@pytest.fixture
def editor(shared: Editor) -> Iterator[Editor]:
    """The same, with what a test has opened closed again."""
    opened: list[str] = []
    plain = shared.open

    def open_it(path: Path, *more: Any, **options: Any) -> str:
        opened.append(plain(path, *more, **options))
        return opened[-1]

    shared.open = open_it  # type: ignore[method-assign]
    yield shared
    shared.open = plain  # type: ignore[method-assign]
    for uri in opened:
        shared.tell("textDocument/didClose", {"textDocument": {"uri": uri}})


def whole(text: str) -> dict[str, Any]:
    return {"text": text}


def place(line: int, column: int, end: int | None = None) -> dict[str, Any]:
    stop = {"line": line, "character": column if end is None else end}
    return {"start": {"line": line, "character": column}, "end": stop}


def codes(marks: list[dict[str, Any]]) -> list[str | None]:
    return [one.get("code") for one in marks]


def applied(text: str, edits: list[dict[str, Any]]) -> str:
    """A text without letters outside the basic plane after edits of one line each."""
    lines = text.split("\n")
    for edit in sorted(edits, key=lambda one: -one["range"]["start"]["character"]):
        start, end = edit["range"]["start"], edit["range"]["end"]
        line = lines[start["line"]]
        lines[start["line"]] = (
            line[: start["character"]] + edit["newText"] + line[end["character"] :]
        )
    return "\n".join(lines)


# --- findings and repairs -------------------------------------------------------------------------


def test_a_misspelt_attribute_is_shown_and_repaired(editor: Editor, tmp_path: Path) -> None:
    text = "# 𝒞\nPREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmiterUserPrio * 1.2\n"
    uri = editor.open(tmp_path / "a.conf", text)
    [mark] = [one for one in editor.marks(uri) if one["code"] == "P401"]
    assert mark["range"] == place(1, 43, 59)
    assert mark["source"] == "pieslice"
    assert "did you mean `SubmitterUserPrio`?" in mark["message"]
    assert mark["codeDescription"]["href"].endswith("#p401")
    context = {"diagnostics": [mark]}
    params = {"textDocument": {"uri": uri}, "range": mark["range"], "context": context}
    fix, silence = editor.ask("textDocument/codeAction", params)[:2]
    assert fix["isPreferred"] is True
    [edit] = fix["edit"]["changes"][uri]
    assert edit == {"range": place(1, 43, 59), "newText": "SubmitterUserPrio"}
    assert silence["title"] == "silence P401 here"
    editor.change(uri, {"range": edit["range"], "text": edit["newText"]})
    assert "P401" not in codes(editor.marks(uri))


def test_the_text_of_an_included_file_counts_before_it_is_saved(editor: Editor, pool: Path) -> None:
    groups = editor.open(pool / "groups.conf")
    assert "P303" not in codes(editor.marks(groups))
    editor.change(groups, whole("GROUP_NAMES = chemistry\n"))
    assert "P303" in codes(editor.marks(groups)), "the group has no quota now"
    assert editor.marks((pool / "condor_config").as_uri()), "nor has that of the other file a group"


def test_a_file_that_the_root_does_not_read_is_a_fragment(editor: Editor, pool: Path) -> None:
    alone = editor.open(pool / "other.conf", "X = $(BASE)\nNEGOTIATOR_INTERVAL = x\n")
    assert codes(editor.marks(alone)) == ["P110"] or "P110" in codes(editor.marks(alone))
    [heading] = [editor.ask("textDocument/hover", editor.at(alone, 0, 6))["contents"]["value"]]
    assert "not defined" in heading


def test_only_the_newest_check_is_shown(editor: Editor, tmp_path: Path) -> None:
    uri = editor.open(tmp_path / "a.conf", "A = 1\n")
    editor.marks(uri)
    for number in range(5):
        editor.change(uri, whole(f"NEGOTIATOR_INTERVAL = {'x' * number}\n"))
    editor.change(uri, whole("NEGOTIATOR_INTERVAL = 5\nEXECUTE = $(NOWHERE)\n"))
    assert "P110" not in codes(editor.marks(uri))


def test_what_was_said_of_a_file_goes_when_it_is_closed(shared: Editor, tmp_path: Path) -> None:
    uri = shared.open(tmp_path / "gone.conf", "NEGOTIATOR_INTERVAL = x\n")
    assert shared.marks(uri)
    shared.tell("textDocument/didClose", {"textDocument": {"uri": uri}})
    assert shared.marks(uri) == []


def test_a_file_that_was_deleted_under_the_server_is_missed(editor: Editor, pool: Path) -> None:
    uri = editor.open(pool / "condor_config")
    assert not any(one["severity"] == 1 for one in editor.marks(uri))
    (pool / "groups.conf").unlink()
    changes = [{"uri": (pool / "groups.conf").as_uri(), "type": 3}]
    editor.tell("workspace/didChangeWatchedFiles", {"changes": changes})
    assert any("cannot read" in one["message"] for one in editor.marks(uri))


# --- questions ------------------------------------------------------------------------------------


def test_hover_is_about_the_text_as_it_is_now(editor: Editor, pool: Path) -> None:
    uri = editor.open(pool / "condor_config")
    editor.marks(uri)
    editor.change(uri, {"range": place(0, 0), "text": "# 𝒞𝒞\n"})
    found = editor.ask("textDocument/hover", editor.at(uri, 4, 27))
    assert found["range"] == place(4, 26, 40)
    assert found["contents"]["kind"] == "markdown"
    assert "RemoteUserPrio" in found["contents"]["value"]
    assert editor.ask("textDocument/hover", editor.at(uri, 0, 3)) is None


def test_completion_sends_what_fits_and_says_that_there_is_more(editor: Editor, pool: Path) -> None:
    uri = editor.open(pool / "condor_config", CONFIG + "\nNEGOTIATOR_INT")
    last = CONFIG.count("\n") + 1
    found = editor.ask("textDocument/completion", editor.at(uri, last, 14))
    assert not found["isIncomplete"]
    first = found["items"][0]
    assert first["label"] == "NEGOTIATOR_INTERVAL"
    assert first["textEdit"]["range"] == place(last, 0, 14)
    found = editor.ask("textDocument/completion", editor.at(uri, last - 1, 0))
    assert (len(found["items"]), found["isIncomplete"]) == (200, True)


def test_definition_and_references_go_through_include(editor: Editor, pool: Path) -> None:
    uri = editor.open(pool / "condor_config")
    groups = (pool / "groups.conf").as_uri()
    found = editor.ask("textDocument/definition", editor.at(uri, 3, 67))
    assert found == [{"uri": uri, "range": place(2, 0, 4)}]
    found = editor.ask("textDocument/definition", editor.at(uri, 5, 25))
    assert found == [{"uri": groups, "range": place(0, 14, 21)}]
    params = {**editor.at(uri, 5, 25), "context": {"includeDeclaration": False}}
    found = editor.ask("textDocument/references", params)
    assert [(one["uri"], one["range"]["start"]["line"]) for one in found] == [
        (uri, 5), (uri, 6), (groups, 1),
    ]  # fmt: skip
    marked = editor.ask("textDocument/documentHighlight", editor.at(uri, 5, 25))
    assert [one["range"]["start"]["line"] for one in marked] == [5, 6]


def test_a_group_is_renamed_in_both_files(editor: Editor, pool: Path) -> None:
    uri, groups = editor.open(pool / "condor_config"), (pool / "groups.conf").as_uri()
    spot = editor.at(uri, 5, 25)
    assert editor.ask("textDocument/prepareRename", spot)["placeholder"] == "physics"
    changes = editor.ask("textDocument/rename", {**spot, "newName": "p"})["changes"]
    assert applied(GROUPS, changes[groups]) == GROUPS.replace("physics", "p")
    assert applied(CONFIG, changes[uri]) == CONFIG.replace("physics", "p")


def test_what_cannot_be_renamed_says_why(editor: Editor, pool: Path) -> None:
    uri = editor.open(pool / "condor_config")
    with pytest.raises(LspError, match="`START` is a macro of HTCondor"):
        editor.ask("textDocument/prepareRename", editor.at(uri, 6, 1))
    with pytest.raises(LspError, match="`BASE 2` is not a macro name"):
        editor.ask("textDocument/rename", {**editor.at(uri, 2, 1), "newName": "BASE 2"})


def test_outline_and_folds(editor: Editor, pool: Path) -> None:
    uri = editor.open(pool / "condor_config", "## Preemption ##\nif true\nA = 1\nendif\n")
    [section] = editor.ask("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
    assert section["name"] == "Preemption"
    assert [one["name"] for one in section["children"][0]["children"]] == ["A"]
    found = editor.ask("textDocument/foldingRange", {"textDocument": {"uri": uri}})
    assert {(one["startLine"], one["endLine"]) for one in found} == {(0, 3), (1, 3)}


def test_what_is_overridden_leads_to_what_counts(editor: Editor, tmp_path: Path) -> None:
    uri = editor.open(tmp_path / "a.conf", "NEGOTIATOR_INTERVAL = 1\nNEGOTIATOR_INTERVAL = 2\n")
    params = {"textDocument": {"uri": uri}, "range": place(0, 3), "context": {"diagnostics": []}}
    action = editor.ask("textDocument/codeAction", params)[-1]
    command = action["command"]
    editor.ask(
        "workspace/executeCommand",
        {"command": command["command"], "arguments": command["arguments"]},
    )
    shown = editor.note("window/showDocument")
    assert (shown["uri"], shown["selection"]) == (uri, place(1, 0))


def test_files_of_ads_and_expressions(editor: Editor, tmp_path: Path) -> None:
    uri = editor.open(tmp_path / "a.ad", "Cpus = 4\nMemory = (1\n", "classad")
    [mark] = editor.marks(uri)
    assert mark["range"]["start"]["line"] == 1
    editor.change(uri, whole("Cpus = 4\nMemory = 1\n"))
    assert editor.marks(uri) == []
    expression = editor.open(tmp_path / "a.classad", "ifThenElse(Cpus > 1, 2, 3)", "classad")
    assert editor.marks(expression) == []
    found = editor.ask("textDocument/hover", editor.at(expression, 0, 2))
    assert "ifThenElse(3 arguments)" in found["contents"]["value"]
    editor.change(expression, whole("Cpus >"))
    assert len(editor.marks(expression)) == 1


def test_a_text_that_is_no_file_yet_has_answers_too(editor: Editor) -> None:
    document = {"uri": "untitled:Untitled-1", "languageId": "condor-config", "version": 1}
    text = "NEGOTIATOR_INTERVAL = x\nX = $(NEGOTIATOR_INTERVAL)\n"
    editor.tell("textDocument/didOpen", {"textDocument": {**document, "text": text}})
    assert "P110" in codes(editor.marks("untitled:Untitled-1"))
    found = editor.ask("textDocument/definition", editor.at("untitled:Untitled-1", 1, 8))
    assert [one["uri"] for one in found] == ["untitled:Untitled-1"]
    editor.tell("textDocument/didClose", {"textDocument": {"uri": "untitled:Untitled-1"}})


NEOVIM = """
local config = { name = "pieslice", cmd = vim.g.server, root_dir = vim.fn.getcwd() }
local id = vim.lsp.start and vim.lsp.start(config) or vim.lsp.start_client(config)
vim.lsp.buf_attach_client(0, id)
vim.wait(30000, function() return #vim.diagnostic.get(0) > 0 end)
local function ask(method, more)
  local found = vim.lsp.buf_request_sync(0, "textDocument/" .. method, vim.tbl_extend("force", {
    textDocument = vim.lsp.util.make_text_document_params(),
  }, more), 30000)
  for _, answer in pairs(found or {}) do return answer.result end
end
local function at(line, character) return { position = { line = line, character = character } } end
local report = { codes = {} }
for _, one in ipairs(vim.diagnostic.get(0)) do table.insert(report.codes, one.code) end
report.definition = ask("definition", at(3, 67))[1].range.start
local range = { start = { line = 3, character = 43 }, ["end"] = { line = 3, character = 43 } }
for _, action in ipairs(ask("codeAction", { range = range, context = { diagnostics = {} } })) do
  if action.isPreferred then vim.lsp.util.apply_workspace_edit(action.edit, "utf-16") end
end
local renamed = ask("rename", vim.tbl_extend("force", at(5, 25), { newName = "p" }))
vim.lsp.util.apply_workspace_edit(renamed, "utf-16")
vim.cmd("wall")
vim.fn.writefile({ vim.fn.json_encode(report) }, "report.json")
vim.cmd("qall!")
"""


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("nvim") is None, reason="there is no Neovim")
def test_neovim_shows_goes_repairs_and_renames(pool: Path) -> None:
    wrong = CONFIG.replace("SubmitterUserPrio", "SubmiterUserPrio")
    (pool / "condor_config").write_text(wrong)
    (pool / "script.lua").write_text(NEOVIM)
    server = json.dumps([sys.executable, "-m", "pieslice", "lsp"])
    command = ["nvim", "--headless", "-u", "NONE", "-i", "NONE", "condor_config"]
    command += ["-c", f"let g:server = {server}", "-c", "luafile script.lua"]
    subprocess.run(
        command, cwd=pool, env={**os.environ, "PYTHONPATH": str(ROOT)}, timeout=120, check=True
    )
    report = json.loads((pool / "report.json").read_text())
    assert "P401" in report["codes"]
    assert report["definition"] == {"line": 2, "character": 0}
    assert (pool / "condor_config").read_text() == CONFIG.replace("physics", "p")
    assert (pool / "groups.conf").read_text() == GROUPS.replace("physics", "p")


# --- settings -------------------------------------------------------------------------------------


@pytest.mark.slow
def test_settings_that_there_are_not_are_named(pool: Path) -> None:
    with Editor(pool, rooot="x", subsystem=3) as editor:
        said = {editor.note("window/showMessage")["message"] for _ in range(2)}
    assert any("there is no setting pieslice.rooot" in one for one in said)
    assert "pieslice.subsystem is to be a text" in said


def test_a_root_that_is_not_there_and_a_project_that_is_none_are_named(
    editor: Editor, tmp_path: Path
) -> None:
    (tmp_path / "pieslice.toml").write_text('root = "nowhere.conf"\n')
    uri = editor.open(tmp_path / "a.conf", "A = 1\n")
    editor.marks(uri)
    said = editor.note("window/showMessage")["message"]
    assert said == f"there is no root {tmp_path / 'nowhere.conf'}"
    (tmp_path / "pieslice.toml").write_text("rooot = 3\n")
    editor.change(uri, whole("A = 2\n"))
    assert "`rooot` is no key of a project" in editor.note("window/showMessage")["message"]


@pytest.mark.slow
def test_the_root_is_that_of_the_settings_or_of_the_project(pool: Path) -> None:
    (pool / "condor_config").rename(pool / "main.conf")
    with Editor(pool, root="main.conf") as editor:
        groups = editor.open(pool / "groups.conf", "BASE = 3\nX = $(BASE)\n")
        found = editor.ask("textDocument/definition", editor.at(groups, 1, 6))
        assert len(found) == 2, "that of the root, too"
        # The project's file, which is looked for again when it changes.
        (pool / "pieslice.toml").write_text('root = "main.conf"\ncondor-version = "25.0"\n')
        editor.tell("workspace/didChangeConfiguration", {"settings": {"pieslice": {}}})
        editor.marks(groups)
        found = editor.ask("textDocument/definition", editor.at(groups, 1, 6))
        assert len(found) == 2


@pytest.mark.slow
def test_no_program_is_run_and_no_file_outside_is_read_unless_it_is_asked_for(
    tmp_path: Path,
) -> None:
    inside, outside = tmp_path / "in", tmp_path / "outside.conf"
    inside.mkdir()
    outside.write_text("OUTSIDE = 1\n")
    proof = tmp_path / "proof"
    text = f"include : {outside}\ninclude command : touch {proof}\nX = $(OUTSIDE)\n"
    (inside / "condor_config").write_text(text)
    for reads in (False, True):
        with Editor(inside, outsideIncludes=reads) as editor:
            uri = editor.open(inside / "condor_config")
            messages = " ".join(one["message"] for one in editor.marks(uri))
            assert ("is outside the folder" in messages) is not reads
            assert "is not run" in messages
            found = editor.ask("textDocument/definition", editor.at(uri, 2, 7))
            assert bool(found) is reads
    assert not proof.exists()


@pytest.mark.slow
def test_with_a_pool_the_attributes_of_its_ads_are_offered_first(pool: Path) -> None:
    with Editor(pool, pool=str(ROOT / "examples" / "campus")) as editor:
        uri = editor.open(pool / "condor_config", "START = MY.Has")
        editor.marks(uri)  # the pool was read before the check
        found = editor.ask("textDocument/completion", editor.at(uri, 0, 14))
        assert "ads of kind slot" in found["items"][0]["detail"]


@pytest.mark.slow
@pytest.mark.parametrize("in_the_pool", [True, False])
def test_with_a_pool_a_lens_says_who_pays_for_an_edit(tmp_path: Path, in_the_pool: bool) -> None:
    campus = tmp_path / "campus"
    shutil.copytree(ROOT / "examples" / "campus", campus)
    text = (campus / "condor_config").read_text()
    editor = Editor(tmp_path, pool="campus")
    editor.start(workspace={"codeLens": {"refreshSupport": True}})
    uri = editor.open((campus if in_the_pool else tmp_path) / "condor_config", text)

    def lens() -> str:
        editor.note("workspace/codeLens/refresh")
        [found] = editor.ask("textDocument/codeLens", {"textDocument": {"uri": uri}})
        return found["command"]["title"]  # type: ignore[no-any-return]

    assert lens() == "this edit changes nothing in the next cycle of campus"
    editor.change(uri, whole(f"{text}NEGOTIATOR_CONSIDER_PREEMPTION = False\n"))
    assert lens() == "this edit: 15 slots go another way; carol −15, dave +11, alice +4"
    editor.change(uri, whole(f"{text}NEGOTIATOR_INTERVAL = x\n"))
    assert lens() == "this edit: the daemons would not start with it"
    editor.end()


# --- what goes wrong ------------------------------------------------------------------------------


def circle() -> str:
    return "".join(f"M{at} = $(M{(at * 7 + 1) % 2000}) $(M{at // 2})\n" for at in range(2000))


@pytest.mark.parametrize(
    "text",
    [
        "A = \0 1\nB = 2\n\0",
        "A = " + "x + " * 250_000 + "1\n",
        "START = " + "(" * 20_000 + "\n",
        "include : $(CONFIG_ROOT)/condor_config\n",
        circle(),
        "A @=end\n" * 3 + "\ud800".encode("utf-8", "replace").decode() + "\r\r\n\u2028\f x",
        "",
    ],
    ids=["nul", "megabyte", "parentheses", "circle", "macros", "odd", "empty"],
)
def test_texts_that_nobody_should_write_have_answers(
    editor: Editor, tmp_path: Path, text: str
) -> None:
    uri = editor.open(tmp_path / "condor_config", text)
    for method in ("hover", "completion", "definition", "documentSymbol"):
        with contextlib.suppress(LspError):  # one clear line, which the editor looks at
            editor.ask(f"textDocument/{method}", editor.at(uri, 0, 2))
    editor.change(uri, whole("NEGOTIATOR_INTERVAL = x\n"))
    while "P110" not in codes(editor.marks(uri)):
        pass


def test_an_included_file_that_is_no_utf8_is_read_all_the_same(editor: Editor, pool: Path) -> None:
    (pool / "groups.conf").write_bytes(b"# \xff\xfe\nGROUP_NAMES = a\n")
    uri = editor.open(pool / "condor_config")
    editor.marks(uri)
    found = editor.ask("textDocument/definition", editor.at(uri, 5, 25))
    assert found == []


def test_hover_and_completion_are_answered_while_a_check_runs(
    editor: Editor, tmp_path: Path
) -> None:
    lines = "".join(f"M{at} = $(M{at - 1}) + {at}\n" for at in range(1, 1500))
    uri = editor.open(tmp_path / "condor_config", lines)
    editor.marks(uri)
    editor.change(uri, whole(lines + "NEGOTIATOR_INTERVAL = x\n"))
    time.sleep(0.2)  # the pause is over
    editor.ask("textDocument/hover", editor.at(uri, 0, 1))
    editor.ask("textDocument/completion", editor.at(uri, 1, 1))
    assert "P110" in codes(editor.marks(uri))


QUIET_CHECKS = """
import asyncio, gc, sys
from pieslice.lsp import server as module

class Server(module.Server):
    folders = []

async def main(path):
    server = Server("1")
    server.loop, server._publish = asyncio.get_running_loop(), lambda *given: None
    searches = []
    gc.callbacks.append(lambda phase, info: searches.append(info["generation"]))
    text = "".join(f"SITE_{n} = $(NUM_CPUS) * {n}\\n" for n in range(500))
    server._check(path, path, {path: text})
    assert server.has_checked
    searches.clear()
    for number in range(3):
        server._check(path, path, {path: f"{text}LAST = {number}\\n"})
    assert searches == [], searches
    while not searches:
        await asyncio.sleep(0.05)

asyncio.run(asyncio.wait_for(main(sys.argv[1]), 60))
"""


def test_garbage_is_searched_for_in_pauses_alone(tmp_path: Path) -> None:
    words = [sys.executable, "-c", QUIET_CHECKS, str(tmp_path / "condor_config")]
    subprocess.run(words, cwd=ROOT, check=True, timeout=120)


def test_a_range_beyond_the_text_is_cut(editor: Editor, tmp_path: Path) -> None:
    uri = editor.open(tmp_path / "a.conf", "A = 1\nB = 2\n")
    editor.marks(uri)
    beyond = {"range": place(1, 99, 999), "text": "3"}
    editor.change(uri, beyond, {"range": place(9, 9), "text": "C = $(B)\n"})
    editor.change(uri, {"range": place(0, 0, 0), "text": "D = $(B)\n"})
    editor.marks(uri)
    found = editor.ask("textDocument/hover", editor.at(uri, 0, 6))
    assert "`23`" in found["contents"]["value"]
    assert editor.ask("textDocument/hover", editor.at(uri, 77, 7)) is None


def test_a_file_that_is_not_open_is_an_error(editor: Editor, tmp_path: Path) -> None:
    with pytest.raises(LspError, match="is not open"):
        editor.ask("textDocument/hover", editor.at((tmp_path / "x").as_uri(), 0, 0))


def test_messages_that_are_none_are_refused_and_the_server_goes_on(editor: Editor) -> None:
    editor.raw(b"this is no json")
    with pytest.raises(LspError) as caught:
        editor.answer(None)
    assert caught.value.code == -32700
    number = editor.ask_later("textDocument/hover", {"position": 3})
    with pytest.raises(LspError) as caught:
        editor.answer(number)
    assert caught.value.code == -32602
    number = editor.ask_later("textDocument/nothing", {})
    with pytest.raises(LspError) as caught:
        editor.answer(number)
    assert caught.value.code == -32601


@pytest.mark.slow
def test_before_the_beginning_and_after_the_end_requests_are_refused(tmp_path: Path) -> None:
    editor = Editor()
    spot = editor.at((tmp_path / "x").as_uri(), 0, 0)
    with pytest.raises(LspError) as caught:
        editor.ask("textDocument/hover", spot)
    assert caught.value.code == -32002
    editor.start()
    editor.ask("shutdown", None)
    with pytest.raises(LspError) as caught:
        editor.ask("textDocument/hover", spot)
    assert caught.value.code == -32600
    editor.tell("exit", None)
    assert editor.gone() == ""
    assert editor.process.returncode == 0


@pytest.mark.slow
@pytest.mark.parametrize("busy", [False, True])
def test_the_server_ends_with_its_editor(tmp_path: Path, busy: bool) -> None:
    editor = Editor()
    editor.start()
    if busy:
        editor.open(tmp_path / "a.conf", circle())
        time.sleep(0.3)
    assert editor.process.stdin
    editor.process.stdin.close()
    began = time.monotonic()
    editor.process.wait(PATIENCE)
    assert time.monotonic() - began < 10, "a second, on a machine that is not busy"
    (said,) = editor.gone().splitlines()
    assert said.startswith("pieslice lsp: the editor is gone")
    assert editor.process.returncode == 1


@pytest.mark.slow
@pytest.mark.parametrize("path", HANDSHAKES, ids=lambda path: path.stem)
def test_the_handshakes_of_real_editors_lead_to_findings(path: Path, tmp_path: Path) -> None:
    """Each file has what an editor sent to `pieslice lsp`, with ROOT for its folder."""
    editor, root = Editor(), tmp_path.as_uri()
    for message in json.loads(
        path.read_text().replace("file://ROOT", root).replace("ROOT", str(tmp_path))
    ):
        message.pop("jsonrpc")
        if message["method"] == "initialize":
            editor.asked[message["id"]] = "initialize"
            editor.send(**message)
            assert editor.answer(message["id"])["capabilities"]["hoverProvider"]
        else:
            editor.send(**message)
    uri = message["params"]["textDocument"]["uri"]
    assert "P401" in codes(editor.marks(uri))
    editor.number = 1000
    editor.end()
