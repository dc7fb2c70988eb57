"""What an editor is told of a configuration: hover, completion, outline, actions, positions."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from classad.source import Source
from policy.editing.actions import actions, place_of
from policy.editing.completions import MOST, completions
from policy.editing.hovers import Hover, expression_hover, hover
from policy.editing.names import definitions, references
from policy.editing.outlines import folds, symbols
from policy.editing.positions import Position, Positions
from policy.lint.findings import FINDINGS, lint
from policy.lint.support import NO_REASON, may_be_silenced
from tests.cases import every_case
from tests.policy.editing import EXAMPLES, cursor
from tests.policy.test_lint import read

GROUPS = "GROUP_NAMES = a, a.b\nGROUP_QUOTA_DYNAMIC_a = 0.5\nGROUP_QUOTA_DYNAMIC_a.b = 0.25\n"


# --- positions ------------------------------------------------------------------------------------


def test_a_letter_outside_the_basic_plane_is_two_columns_of_an_editor() -> None:
    text = "A = 1\n# 𝒞𝒞é x\nB = 2"
    at = text.index("x")
    assert Positions(text).position(at) == Position(1, 8)
    assert Positions(text, utf16=False).position(at) == Position(1, 6)
    assert Positions(text).offset(1, 8) == at
    assert Positions(text).offset(1, 3) == text.index("𝒞"), "half a letter is none"


@given(st.text(alphabet="aé𝒞 \n\r"), st.booleans(), st.data())
def test_positions_and_offsets_are_inverse(text: str, utf16: bool, data: st.DataObject) -> None:
    positions = Positions(text, utf16=utf16)
    at = data.draw(st.integers(0, len(text)))
    if text[at - 1 : at + 1] != "\r\n":  # between the two there is no position
        assert positions.offset(*positions.position(at)) == at


@given(st.text(alphabet="a𝒞\n"), st.integers(-5, 99), st.integers(-5, 99))
def test_a_position_outside_a_text_is_cut(text: str, line: int, column: int) -> None:
    assert 0 <= Positions(text).offset(line, column) <= len(text)
    assert Positions(text).offset(999, 0) == len(text)
    assert Positions("ab\ncd").offset(0, 999) == 2, "behind the end of its line"


# --- hover ----------------------------------------------------------------------------------------


def told(text: str, files: dict[str, str] | None = None) -> Hover:
    found = hover(*cursor(text, files))
    assert found is not None, text
    return found


def facts(found: Hover) -> dict[str, str]:
    return dict(found.facts)


def test_hover_of_a_macro_says_its_value_and_what_it_replaced() -> None:
    found = told("BASE = 30\nNEGOTIATOR_INTERVAL = 10\nNEGOTIATOR_INTER¦VAL = 2 * $(BASE)\n")
    known = facts(found)
    assert found.heading == "NEGOTIATOR_INTERVAL"
    assert known["type"] == "int, s"
    assert known["default"] == "60"
    assert known["read by"] == "NEGOTIATOR"
    assert known["value here"] == "2 * 30"
    assert known["set at"] == "pool.conf, line 3"
    assert known["replaces"] == "10 (pool.conf, line 2)"


def test_hover_of_a_reference_is_about_the_macro_that_it_names() -> None:
    found = told("BASE = 30\nNEGOTIATOR_INTERVAL = 2 * $(BA¦SE:7)\n")
    assert (found.heading, facts(found)["value here"]) == ("BASE", "30")
    assert facts(told("EXECUTE = $(NO¦WHERE)\n"))["value here"] == "not defined"


def test_hover_of_a_prefixed_macro_is_about_what_its_reader_has() -> None:
    text = "START = False\nnode1.STA¦RT = True\n"
    assert facts(told(text))["value here"] == "True"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("PREEMPTION_REQUIREMENTS = M¦Y.State", "the slot in PREEMPTION_REQUIREMENTS"),
        ("START = TARG¦ET.Owner", "the job in START"),
        ("SYSTEM_PERIODIC_HOLD = M¦Y.JobStatus", "the job in SYSTEM_PERIODIC_HOLD"),
        ("OLD = M¦Y.State\nSTART = $(OLD)", "the slot in OLD"),
        ("ODD = M¦Y.State", "nobody knows where ODD is evaluated"),
    ],
)
def test_hover_of_a_scope_says_which_ad_it_is_in_this_macro(text: str, words: str) -> None:
    assert told(text).text == words


def test_hover_of_an_attribute_says_its_unit_and_in_which_ads_it_is_when() -> None:
    known = facts(told("START = Console¦Idle > 60"))
    assert known["type"] == "integer, s"
    assert known["in the ad of a slot"] == "sometimes"
    known = facts(told("START = Sta¦te"))
    assert known["values"].startswith("Owner, Unclaimed")
    known = facts(told("PREEMPTION_REQUIREMENTS = TARGET.SubmitterUser¦Prio > 1"))
    assert known["in the ad of the request"] == "during a cycle: always"


def test_hover_of_an_attribute_says_how_many_ads_of_a_pool_have_it() -> None:
    found = hover(*cursor("START = Has¦Gpu"), {"slot": {"HasGPU": 7}})
    assert found is not None
    assert facts(found)["in the pool"] == "in 7 ads of kind slot"
    assert hover(*cursor("START = Has¦Gpu")) is None


def test_hover_of_a_function_has_its_arguments_and_an_example() -> None:
    found = told('START = str¦cat("a", 1)')
    assert found.heading == "strcat(0+ arguments)"
    assert 'strcat("a", 1, true) -> "a1true"' in found.example
    assert told("X = $IN¦T(A)\nA = 1").heading == "$INT(NAME,format)"


def test_hover_of_a_group_says_its_quota_and_its_subgroups() -> None:
    found = told(GROUPS + "X = 1\nGROUP_ACCEPT_SURPLUS_¦a = True\n")
    assert facts(found)["quota"] == "0.5 of its parent's"
    assert facts(found)["groups below it"] == "a.b"
    assert told(f'{GROUPS}START = AcctGroup == "a.¦b"').heading == "a.b"
    assert "does not have" in told("GROUP_QUOTA_¦nobody = 1").text


def test_hover_of_templates_words_and_findings() -> None:
    assert "ALLOW_READ" in "".join(told("use SECURITY : HOST_B¦ASED\n").example)
    assert "D_FULLDEBUG" in facts(told("NEGOTIATOR_DEBUG = D_A¦LL\n"))["values"]
    title = FINDINGS["P303"].title
    assert told("# pieslice: ignore P3¦03\nGROUP_NAMES = a\n").text.startswith(title)


@pytest.mark.parametrize(
    "text",
    ["# NEGOTIATOR_¦INTERVAL = 1", "", "¦ \n", "A = 1 ¦ ", "[Se¦ction]", "START = 1¦2", "X = $(¦"],
)
def test_there_is_nothing_to_say_of_comments_numbers_and_blanks(text: str) -> None:
    assert hover(*cursor(text if "¦" in text else text + "¦")) is None


def test_words_of_an_expression_without_a_configuration_are_known_too() -> None:
    found = expression_hover("Requirements = ifThenElse(State == 1, 2, 3)", 17)
    assert found is not None
    assert found.heading == "ifThenElse(3 arguments)"
    assert expression_hover("x + 1", 4) is None


# --- completion -----------------------------------------------------------------------------------


def offered(text: str, **more: Any) -> list[str]:
    return [one.text for one in completions(*cursor(text), **more).proposals]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("NEGOTIATOR_INTERV¦", "NEGOTIATOR_INTERVAL"),
        ("negotiator_interv¦ = 1", "NEGOTIATOR_INTERVAL"),
        ("NEGOTIATOR.PRIO¦", "PRIORITY_HALFLIFE"),
        (f"{GROUPS}GROUP_QUOTA_¦", "GROUP_QUOTA_DYNAMIC_a"),
        (f"{GROUPS}GROUP_PRIO_FACTOR_¦", "GROUP_PRIO_FACTOR_a"),
        ("JOB_TRANSFORM_NAMES = Mem\nJOB_TRANSFORM_M¦", "JOB_TRANSFORM_Mem"),
        ("MINE = 1\nEXECUTE = $(MI¦", "MINE"),
        ("MINE = 1\nEXECUTE = $(MI¦) x", "MINE"),
        ("MINE = 1\nif defined MI¦\nendif\n", "MINE"),
        ("us¦", "use"),
        ("use SEC¦", "SECURITY"),
        ("use SECURITY : HOST¦", "HOST_BASED"),
        ("START = KeyboardI¦", "KeyboardIdle"),
        ("START = (1 + MY.KeyboardI¦) ", "KeyboardIdle"),
        ("START = TARGET.RequestM¦", "RequestMemory"),
        ("START = ifT¦", "ifThenElse"),
        ('START = State == "Cl¦"', "Claimed"),
        (f'{GROUPS}START = TARGET.AcctGroup =?= "¦"', "a"),
        ("NEGOTIATOR_DEBUG = D_FUL¦", "D_FULLDEBUG"),
        ("NEGOTIATOR_CONSIDER_PREEMPTION = ¦", "True"),
        ("DAEMON_LIST = MASTER NEGO¦", "NEGOTIATOR"),
        ("GROUP_QUOTA_x = 1\nGROUP_NAMES = ¦", "x"),
        ("HasX = True\nSTARTD_ATTRS = Ha¦", "HasX"),
        ("# pieslice: ignore P30¦", "P301"),
        ("# pieslice: ¦", "ignore"),
        ("X = $IN¦", "INT"),
    ],
)
def test_what_fits_the_place_comes_first(text: str, first: str) -> None:
    assert offered(text)[0] == first


@pytest.mark.parametrize(
    ("text", "never"),
    [
        ("START = MY.RequestM¦", "RequestMemory"),
        ("PREEMPTION_REQUIREMENTS = MY.Submitter¦", "SubmitterUserPrio"),
        ("START = MY.Remote¦", "RemoteUserPrio"),
        ("START = MY.ifT¦", "ifThenElse"),
    ],
)
def test_behind_a_scope_there_are_the_attributes_of_that_ad_alone(text: str, never: str) -> None:
    assert never not in offered(text)


@pytest.mark.parametrize(
    "text", ["# a comment ¦", "EXECUTE = /va¦", "A ¦", "LOG = $ENV(HO¦", "MASTER_NAME = x¦"]
)
def test_nothing_is_offered_where_anything_may_stand(text: str) -> None:
    assert offered(text) == []


def test_attributes_of_a_pool_come_first_the_most_frequent_before_the_others() -> None:
    ads = {"slot": {"HasGpu": 3, "HasBig": 40, "Cpus": 56}}
    found = offered("START = MY.Has¦", ads=ads)
    assert found[:2] == ["HasBig", "HasGpu"]
    assert "KeyboardIdle" not in offered("START = MY.Keyb¦", ads=ads), "no slot of it has that"


def test_a_completion_replaces_what_is_written_and_is_cut() -> None:
    config, source, offset = cursor("X = 1\nNEGOT¦")
    found = completions(config, source, offset)
    assert source.text[found.start : found.end] == "NEGOT"
    everything = completions(config, source, found.start)
    assert (len(everything.proposals), everything.more) == (MOST, True)
    assert not completions(*cursor("NEGOTIATOR_INTERV¦")).more


# --- outline --------------------------------------------------------------------------------------

OUTLINE = """\
A = 1
##################
# Groups
##################
GROUP_NAMES = a
if version > 20
  B = 1
  if defined A
    C = 1
  endif
else
  B = 2
endif
# --- Preemption ---
D @=end
  x
@end
E = 1 + \\
    2
"""


def test_the_outline_has_sections_macros_and_conditionals() -> None:
    found = symbols(OUTLINE)
    assert [(one.name, one.sort) for one in found] == [
        ("A", "macro"),
        ("Groups", "section"),
        ("Preemption", "section"),
    ]
    names, condition = found[1].below
    assert (names.name, names.detail) == ("GROUP_NAMES", "a")
    assert (condition.name, condition.sort) == ("if version > 20", "condition")
    assert [one.name for one in condition.below] == ["B", "if defined A", "B"]
    assert OUTLINE[condition.start : condition.end].endswith("endif")


@every_case("path", EXAMPLES)
def test_what_is_below_an_entry_is_within_it(path: Any) -> None:
    todo = symbols(path.read_text())
    while todo:
        one = todo.pop()
        assert one.start <= one.name_start <= one.name_end <= one.end
        for inner in one.below:
            assert one.start <= inner.start <= inner.end <= one.end
        todo += one.below


def test_sections_conditionals_long_statements_and_comments_fold() -> None:
    lines = {(fold.first, fold.last) for fold in folds(OUTLINE)}
    assert (5, 12) in lines, "the conditional"
    assert (7, 9) in lines, "the one in it"
    assert (14, 16) in lines, "the block"
    assert (17, 18) in lines, "the continued line"
    assert (13, 18) in lines, "the section"
    assert (1, 3) in {(fold.first, fold.last) for fold in folds("A = 1\n# a\n# b\n# c\n")}


# --- actions --------------------------------------------------------------------------------------


@pytest.mark.slow
@every_case("kind", FINDINGS.values(), name=lambda kind: kind.id)
def test_the_fix_of_a_finding_or_its_silence_leaves_a_text_without_it(kind: Any) -> None:
    """A finding has a fix, can be silenced, or stops a daemon."""
    config = read(kind.bad)
    source = next((one for one in config.texts if one.name == "pool.conf"), None)
    for found in lint(config) if source is not None else ():
        place = place_of(found)
        if found.id != kind.id or place is None or place.source is not source:
            continue
        done = [
            one
            for one in actions(config, [found], source, place.start, place.end)
            if one.edit is not None
        ]
        silenceable = may_be_silenced(found, FINDINGS) and found.id != NO_REASON.id
        assert bool(done) >= silenceable
        for action in done:
            edit = action.edit
            assert edit is not None
            after = lint(read(source.text[: edit.start] + edit.text + source.text[edit.end :]))
            left = [one for one in after if one.id == kind.id]
            assert len(left) < sum(one.id == kind.id for one in lint(config)), action.title


def test_a_second_number_goes_into_the_comment_that_is_there() -> None:
    text = "GROUP_NAMES = a\n# pieslice: ignore P999 because of x\nGROUP_NAMES = b\n"
    config = read(text)
    source = config.texts[0]
    found = next(one for one in lint(config) if one.id == "P303")
    [silence] = [
        one for one in actions(config, [found], source, found.start, found.end) if one.edit
    ]
    assert silence.edit is not None
    assert text[: silence.edit.start].endswith("ignore P999")
    assert silence.edit.text == " P303"


def test_an_overridden_definition_leads_to_what_counts() -> None:
    config, source, offset = cursor("NEGOTIATOR_INTER¦VAL = 1\nA = 2\nNEGOTIATOR_INTERVAL = 3\n")
    [action] = actions(config, (), source, offset, offset)
    assert action.show is not None
    assert source.position(action.show.start) == (3, 1)
    assert actions(config, (), source, action.show.start, action.show.start) == []


# --- no text makes it fail ------------------------------------------------------------------------


@st.composite
def torn(draw: st.DrawFn) -> tuple[str, int]:
    """A text of the examples, cut off, with a part doubled, or with other signs; a character."""
    text = draw(st.sampled_from(EXAMPLES)).read_text()
    at = draw(st.integers(0, len(text)))
    kind = draw(st.sampled_from(("whole", "cut", "sign", "double", "gone")))
    signs = draw(st.text(alphabet='$()"\\\n#=:@.,+ 𝒞\0aP', max_size=4))
    stop = min(len(text), at + draw(st.integers(0, 40)))
    text = {
        "whole": text,
        "cut": text[:at],
        "sign": text[:at] + signs + text[at:],
        "double": text[:stop] + text[at:],
        "gone": text[:at] + text[stop:],
    }[kind]
    return text, min(len(text), max(0, at + draw(st.integers(-30, 30))))


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(torn())
def test_no_character_of_any_text_makes_an_answer_fail(case: tuple[str, int]) -> None:
    text, offset = case
    config, source = read(text), Source(text, "pool.conf")
    found = hover(config, source, offset)
    assert found is None or 0 <= found.start <= offset <= found.end <= len(text)
    proposed = completions(config, source, offset)
    assert 0 <= proposed.start <= proposed.end == offset
    for place in (*definitions(config, source, offset), *references(config, source, offset)):
        assert 0 <= place.start <= place.end <= len(place.source.text)
    symbols(text)
    folds(text)


@pytest.mark.long
@pytest.mark.slow
@every_case("path", EXAMPLES)
def test_no_character_of_any_example_makes_an_answer_fail(path: Any) -> None:
    text = path.read_text()
    config, source = read(text), Source(text, "pool.conf")
    for offset in range(len(text) + 1):
        hover(config, source, offset)
        completions(config, source, offset)
        definitions(config, source, offset)
