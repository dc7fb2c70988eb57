"""Where macros and groups are set and named, and what a new name for one changes: nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import pytest

from classad.errors import Edit
from classad.source import Source
from policy.config import Config
from policy.editing.names import CannotRename, definitions, references, rename
from policy.language.macros import ExpansionError
from policy.load import load_policy
from tests.cases import every_case
from tests.policy.editing import EXAMPLES, cursor
from tests.policy.test_lint import read

Lines = list[tuple[str, int]]


def lines(places: Iterable[Any]) -> Lines:
    return [(one.source.name, one.source.position(one.start)[0]) for one in places]


def defined(text: str, files: dict[str, str] | None = None) -> Lines:
    return lines(definitions(*cursor(text, files)))


def named(text: str, files: dict[str, str] | None = None) -> Lines:
    return lines(references(*cursor(text, files)))


# --- definitions and references -------------------------------------------------------------------


def test_the_definition_that_counts_comes_first() -> None:
    assert defined("A = 1\nA = 2\nX = $(¦A)\n") == [("pool.conf", 2), ("pool.conf", 1)]


def test_definitions_are_found_with_prefixes_and_in_branches_that_are_not_taken() -> None:
    text = "START = 1\nSTARTD.START = 2\nif false\nSTART = 3\nendif\nX = $(STA¦RT)\n"
    assert sorted(defined(text)) == [("pool.conf", line) for line in (1, 2, 4)]
    local = "M = $(¦Mine)\nN_ARGS = -local-name n1\nn1.Mine = 2\n"
    assert defined(local) == [("pool.conf", 3)]


def test_definitions_are_found_through_include_and_use() -> None:
    files = {"/etc/more.conf": "BASE = 1\n"}
    assert defined("include : /etc/more.conf\nX = $(BA¦SE)\n", files) == [("/etc/more.conf", 1)]
    assert defined("use SECURITY : HOST_BASED\nX = $(ALLOW_RE¦AD)\n") == [("pool.conf", 1)]
    assert defined("include : /etc/mo¦re.conf\n", files) == [("/etc/more.conf", 1)]


def test_a_group_is_defined_in_group_names() -> None:
    text = 'GROUP_NAMES = a, b\nGROUP_QUOTA_¦b = 1\nSTART = AcctGroup == "b"\n'
    assert defined(text) == [("pool.conf", 1)]
    assert named(text) == [("pool.conf", line) for line in (1, 2, 3)]
    assert named(text.replace("¦", "").replace('"b"', '"¦b"')) == named(text)


def test_references_are_in_values_functions_conditions_and_lists() -> None:
    text = (
        "M¦ine = 1\nA = $(MINE) $INT(Mine) $(Mine:2)\nif defined mine\nendif\n# $(Mine)\n"
        "STARTD_ATTRS = Mine\nB = $$(Mine) $ENV(Mine) Mine\nSTARTD.Mine = 2\n"
    )
    assert [line for _, line in named(text)] == [1, 2, 2, 2, 3, 6, 8]


def test_the_text_that_is_not_saved_counts() -> None:
    config = read("A = 1\n")
    now = Source("# new\nA = 1\nB = $(A)\n", "pool.conf")
    assert lines(references(config, now, now.text.index("A)"))) == [
        ("pool.conf", 2),
        ("pool.conf", 3),
    ]


def test_numbers_and_attributes_of_ads_have_no_definition() -> None:
    assert defined("START = KeyboardId¦le > 6\n") == []
    assert defined("START = Owner > 12¦3\n") == []


# --- renaming -------------------------------------------------------------------------------------


def renamed(edits: Iterable[Edit], texts: Mapping[str, str]) -> dict[str, str]:
    """Texts after edits, which must not overlap."""
    result = dict(texts)
    for edit in sorted(edits, key=lambda one: -one.start):
        text = result[edit.source.name]
        assert text[edit.start : edit.end + 1] == texts[edit.source.name][edit.start : edit.end + 1]
        result[edit.source.name] = text[: edit.start] + edit.text + text[edit.end :]
    return result


def values(config: Config, spelled: Any = str.casefold) -> dict[str, str | None]:
    """What each macro has, under another name where that is asked for."""
    found = {}
    for entry in config.scope.table:
        try:
            value = config.expand(entry).text
        except ExpansionError:
            value = None
        found[spelled(entry.name)] = value
    return found


def same_but(old: str, new: str, before: Config, after: Config) -> None:
    word = re.compile(rf"(?<![\w]){re.escape(old)}(?![\w])", re.IGNORECASE)
    assert values(before, lambda name: word.sub(new, name).casefold()) == values(after)


@pytest.mark.parametrize(
    "text",
    [
        "Mi¦ne = 1\nA = $(MINE) $INT(Mine) $(Mine:2)\nif defined mine\nB = 2\nendif\n",
        "X = $(Min¦e)\nMine = 1\nMine = $(Mine) 2\nMine += 3\n",
        "Mine @=end\n 1 \n@end\nX = $(Mine:$(Mi¦ne)) \\\n  $(Mine)\n",
        "N_ARGS = -local-name n1\nMi¦ne = 1\nn1.Mine = $(Mine) 1\nn1.RANK = $(Mine)\n",
        "NEGOTIATOR.Mine = $(Other)\nOther = 2\nNEGOTIATOR_NAME = $(M¦ine)\n",
    ],
)
def test_a_macro_under_a_new_name_gives_the_same_configuration(text: str) -> None:
    config, source, offset = cursor(text)
    edits = rename(config, source, offset, "Another")
    after = renamed(edits, {"pool.conf": source.text})["pool.conf"]
    assert "mine" not in after.casefold()
    same_but("mine", "Another", config, read(after))


def test_a_group_under_a_new_name_gives_the_same_policy_in_all_files() -> None:
    more = 'GROUP_QUOTA_DYNAMIC_a.b = 0.5\nSTART = TARGET.AcctGroup =!= "A.b"\n'
    text = "GROUP_NAMES = a, a.b, ab\nGROUP_QUOTA_DYNAMIC_¦a = 0.5\ninclude : /m\n"
    config, source, offset = cursor(text, {"/m": more})
    edits = rename(config, source, offset, "physics")
    after = renamed(edits, {"pool.conf": source.text, "/m": more})
    assert after["pool.conf"].startswith("GROUP_NAMES = physics, physics.b, ab\n")
    assert after["/m"] == more.replace("A.b", "physics.b").replace("a.b", "physics.b")
    groups = [load_policy(one).policy.groups for one in (config, read(after["pool.conf"], after))]
    names = [[re.sub(r"^a\b", "physics", group.name) for group in tree] for tree in groups]
    assert sorted(names[0]) == sorted(names[1])
    quotas = [sorted((g.dynamic_quota or 0, g.accept_surplus) for g in one) for one in groups]
    assert quotas[0] == quotas[1]


@every_case("path", EXAMPLES)
def test_every_macro_of_the_examples_keeps_its_name_or_its_meaning(path: Any) -> None:
    text = path.read_text()
    config, source = read(text), Source(text, "pool.conf")
    for entry in list(config.scope.table):
        if entry.source is None or entry.template is not None:
            continue
        offset = text.rfind(entry.name, 0, entry.start)
        try:
            edits = rename(config, source, offset, "ANOTHER_NAME")
        except CannotRename:
            continue
        after = renamed(edits, {"pool.conf": text})["pool.conf"]
        same_but(entry.name.rpartition(".")[2], "ANOTHER_NAME", config, read(after))


@pytest.mark.parametrize(
    ("text", "new", "why"),
    [
        ("NEGOTIATOR_INTER¦VAL = 1\n", "X", "`NEGOTIATOR_INTERVAL` is a macro of HTCondor"),
        ("GROUP_QUO¦TA_a = 1\n", "X", "is a macro of HTCondor"),
        ("X = $(NO¦WHERE)\n", "Y", "no file of this configuration defines `NOWHERE`"),
        ("X = $(HOSTNA¦ME)\n", "Y", "no file of this configuration defines `HOSTNAME`"),
        ("M¦ine = 1\n", "a b", "`a b` is not a macro name"),
        ("M¦ine = 1\nOther = 2\n", "other", "`other` is defined already"),
        ("M¦ine = 1\n", "START", "`START` is a macro of HTCondor"),
        ("M¦ine = 1\nX = $(M$(Y))\nY = ine\n", "Z", "is put together and may be it"),
        ("MIN¦E_A = 1\nW = A\nX = $(MINE_$(W))\n", "Z", "`MINE_$(W)` in pool.conf, line 3"),
        ("MIN¦E_A = 1\nW = A\nMINE_$(W) = 2\n", "Z", "is put together and may be it"),
        ("M¦ine = 1\nSTARTD_ATTRS = Mine\n", "Z", "`Mine` is a word of STARTD_ATTRS"),
        ("MY¦D = /x\nDAEMON_LIST = MASTER, MYD\n", "Z", "`MYD` is a word of DAEMON_LIST"),
        ("START = Key¦boardIdle > 1\n", "Z", "only macros and accounting groups"),
        ("# a com¦ment\n", "Z", "only macros and accounting groups"),
        ("GROUP_NAMES = ¦a, b\n", "b", "there is a group `b` already"),
        ("GROUP_NAMES = a, ¦a.b\n", "b", "is in another place of the tree of groups"),
        ("GROUP_NAMES = ¦a\n", "b c", "cannot be the name of a group"),
        ("GROUP_QUOTA_¦a = 1\nX = a\nGROUP_NAMES = $(X)\n", "b", "no file of this configuration"),
        ("GROUP_NAMES = ¦a\nX = a\nGROUP_QUOTA_$(X) = 1\n", "b", "is put together"),
    ],
)
def test_what_has_to_keep_its_name_says_why(text: str, new: str, why: str) -> None:
    with pytest.raises(CannotRename, match=re.escape(why)):
        rename(*cursor(text), new)


def test_a_name_that_is_put_together_of_other_words_is_no_obstacle() -> None:
    text = "M¦ine = 1\nW = A\nA_OTHER = 2\nX = $(A_$(W):$(Mine))\n"
    assert len(rename(*cursor(text), "Z")) == 2
