"""What is asked of a job and a slot, part by part, and the candidates of a job, on the page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect

import pieslice
from pieslice.api.session import Trial
from pieslice.data import JsonObject
from pieslice.lab.pool.trials import Trials
from pieslice.lab.texts import EditedTexts
from pieslice.why.moments import AskedCycle
from tests.pieslice.browsing import CAMPUS, opened, picture, served, write

JOB, SLOT, HOLDER = "15.0", "slot11@node07@vm", "nice-user.dave@campus.example"
CALMER = "PREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmitterUserPrio && Cpus > 64"


@pytest.fixture(scope="module")
def session() -> pieslice.Session:
    return pieslice.read(CAMPUS).session()


def parts(part: JsonObject) -> Iterator[JsonObject]:
    yield part
    for one in part["below"]:
        yield from parts(one)


# --- without a browser ----------------------------------------------------------------------------


def test_a_pause_makes_the_first_question_of_an_edit_need_no_cycle(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cycles: list[object] = []

    def counting(self: AskedCycle, *given: Any, **more: Any) -> Any:
        cycles.append(self)
        return run(self, *given, **more)

    run = AskedCycle.run
    monkeypatch.setattr(AskedCycle, "run", counting)
    texts, user = EditedTexts(CALMER), ("user", "carol@campus.example", None)
    trials = Trials(pieslice.read(CAMPUS).reading)
    trials.edit(texts, cancelled=lambda: False)
    with pytest.raises(pieslice.Cancelled):
        trials.idle(cancelled=lambda: True)
    cycles.clear()
    trials.idle(cancelled=lambda: False)
    assert len(cycles) == 2  # of both sides
    answer = trials.why(texts, *user, cancelled=lambda: False)
    assert len(cycles) == 2
    fresh = Trials(pieslice.read(CAMPUS).reading)
    assert fresh.why(texts, *user, cancelled=lambda: False) == answer


def test_the_running_policy_is_asked_once_whatever_is_edited(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[object] = []
    why = Trial.why

    def counting(self: Trial, *given: Any) -> Any:
        asked.append(self)
        return why(self, *given)

    monkeypatch.setattr(Trial, "why", counting)
    trials = Trials(pieslice.read(CAMPUS).reading)
    texts = [EditedTexts(text) for text in ("", CALMER, "NEGOTIATOR_CONSIDER_PREEMPTION = false")]
    answers = [trials.why(one, "job", JOB, SLOT, cancelled=lambda: False) for one in texts]
    assert len(asked) == len(set(map(id, asked))) == 3
    assert answers[0]["same"]
    assert all(one["before"] == answers[0]["after"] for one in answers)
    assert answers[2]["after"] != answers[0]["after"]


def test_every_expression_that_the_cycle_asks_is_there(session: pieslice.Session) -> None:
    found = session.base.expressions(JOB, SLOT)
    assert found.slot == SLOT
    tests = {one.name: one.explanation.value for one in found.expressions if one.test}
    assert tests == {
        "Requirements of the job": True,
        "Requirements of the slot (its START)": True,
        "startd rank": False,
        "PREEMPTION_REQUIREMENTS": True,
    }
    ranked = next(it for it in session.base.rank(JOB).found.slots if it.slot == SLOT)  # type: ignore[union-attr]
    ranks = {one.name: one.explanation.value for one in found.expressions if not one.test}
    assert ranks["NEGOTIATOR_PRE_JOB_RANK"] == ranked.pre_job_rank
    assert ranks["NEGOTIATOR_POST_JOB_RANK"] == ranked.post_job_rank
    assert ranks["PREEMPTION_RANK"] == pytest.approx(ranked.preemption_rank)


def test_of_a_slot_that_nobody_has_nobody_asks_to_preempt(session: pieslice.Session) -> None:
    trial = session.base
    free = next(it.slot for it in trial.rank(JOB).found.slots if it.preempts is None)  # type: ignore[union-attr]
    names = {one.name for one in trial.expressions(JOB, free).expressions}
    assert not names & {"startd rank", "PREEMPTION_REQUIREMENTS", "PREEMPTION_RANK"}


def test_without_a_slot_it_is_the_one_that_the_job_gets(session: pieslice.Session) -> None:
    match = next(it for it in session.base.cycle.result.matches if it.job == JOB)
    assert session.base.expressions(JOB).slot == match.slot


def test_a_slot_that_no_job_is_tried_on_says_why(session: pieslice.Session) -> None:
    trial = session.edit("NEGOTIATOR_CONSIDER_PREEMPTION = false")
    found = trial.expressions(JOB, SLOT)
    assert found.none == f"{SLOT} is not considered: claimed while preemption is not considered"
    assert found.expressions == ()
    running = next(
        ad.get_string("JobId") for ad in trial.held.capture.snapshot.slots if ad.get_string("JobId")
    )
    assert "does not wait for a slot" in trial.expressions(str(running)).none
    with pytest.raises(pieslice.Error, match="no slot `slot99@nowhere`"):
        trial.expressions(JOB, "slot99@nowhere")


def test_parts_have_values_and_say_where_names_are() -> None:
    trials = Trials(pieslice.read(CAMPUS).reading)
    found = trials.tree(EditedTexts(CALMER), JOB, SLOT, cancelled=lambda: False)
    assert not found["same"]
    for side, value in (("before", "true"), ("after", "false")):
        (asked,) = [
            one for one in found[side]["expressions"] if one["name"] == "PREEMPTION_REQUIREMENTS"
        ]
        assert asked["root"]["value"] == value
        known = {one["text"]: (one["value"], one["remark"]) for one in parts(asked["root"])}
        assert known["SubmitterUserPrio"][1] == "in TARGET"
    assert known["Cpus"] == ("1", "in MY")
    assert known["Cpus > 64"] == ("false", "")
    assert "64" not in known  # its own text says what it is


def test_a_part_that_does_not_count_is_not_evaluated() -> None:
    trials = Trials(pieslice.read(CAMPUS).reading)
    text = EditedTexts("PREEMPTION_REQUIREMENTS = false && Cpus > 64")
    found = trials.tree(text, JOB, SLOT, cancelled=lambda: False)["after"]["expressions"]
    (asked,) = [one for one in found if one["name"] == "PREEMPTION_REQUIREMENTS"]
    known = {one["text"]: one["value"] for one in parts(asked["root"])}
    assert known["Cpus > 64"] == "not evaluated"


# --- in a browser ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    yield from served(CAMPUS)


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    for page in opened(browser, address):
        write(page, CALMER)
        expect(page.locator("#sentence")).to_contain_text("carol loses 15")
        page.get_by_role("tab", name="Slots 15").click()
        page.locator("#rows tbody tr", has_text=SLOT).click()
        yield page


@pytest.mark.browser
@pytest.mark.slow
def test_an_answer_that_comes_late_is_not_shown_in_the_place_of_another_view(page: Page) -> None:
    waiting: list[Route] = []
    page.route("**/api/why", lambda route: waiting.append(route))
    page.locator("#rows tbody tr").last.click()
    page.get_by_role("tab", name="Expressions").click()
    sides = page.locator("#answer .side")
    expect(sides.nth(1).locator(".expression")).not_to_have_count(0)
    shown = page.locator("#answer").inner_text()
    with page.expect_response("**/api/why"):
        waiting[-1].continue_()
    page.wait_for_timeout(200)
    assert page.locator("#answer").inner_text() == shown


@pytest.mark.browser
@pytest.mark.slow
def test_trees_stand_side_by_side_and_mark_what_differs(page: Page) -> None:
    page.get_by_role("tab", name="Expressions").click()
    sides = page.locator("#answer .side")
    expect(sides).to_have_count(2)
    asked = sides.nth(1).locator(".expression", has_text="PREEMPTION_REQUIREMENTS")
    expect(asked.locator("h4")).to_have_text("PREEMPTION_REQUIREMENTS: not true")
    expect(asked.locator(".differs").first).to_have_text("false")
    same = sides.nth(1).locator(".expression", has_text="Requirements of the job")
    expect(same.locator(".differs")).to_have_count(0)
    line = asked.locator(".leaf, summary", has_text="Cpus > 64").last
    expect(line).to_contain_text("false")
    picture(page, "expressions")
    asked.get_by_role("button", name="PREEMPTION_REQUIREMENTS").click()
    expect(page.locator(".cm-activeLine")).to_contain_text(CALMER)


@pytest.mark.browser
@pytest.mark.slow
def test_parts_open_and_close_by_the_keyboard(page: Page) -> None:
    page.get_by_role("tab", name="Answer").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#answer")).to_contain_text("candidates")
    page.keyboard.press("ArrowRight")
    tree = page.locator("#answer .expression details").first
    expect(tree).to_have_attribute("open", "")
    tree.locator("summary").first.focus()
    page.keyboard.press("Enter")
    expect(tree).not_to_have_attribute("open", "")


@pytest.mark.browser
@pytest.mark.slow
def test_the_rank_list_has_the_key_that_decided(page: Page) -> None:
    page.get_by_role("tab", name="Rank list").click()
    rows = page.locator("#answer .side").first.locator("tbody tr")
    ranked = pieslice.read(CAMPUS).rank(JOB).found
    assert ranked is not None
    expect(rows).to_have_count(len(ranked.slots))
    second = ranked.slots[1]
    expect(rows.nth(1)).to_contain_text(second.slot)
    assert second.decided_by == "NEGOTIATOR_POST_JOB_RANK"
    expect(rows.nth(1).locator("td").last).to_have_text("post job")
    picture(page, "rank-list")
    rows.nth(1).get_by_role("button", name=second.slot).click()
    expect(page.locator("#why-title")).to_have_text(f"Why job {JOB} on {second.slot}")


@pytest.mark.browser
@pytest.mark.slow
def test_who_is_no_job_has_an_answer_alone(page: Page) -> None:
    page.get_by_role("tab", name="Expressions").click()
    page.get_by_role("tab", name="Users").click()
    page.locator("#rows tbody tr", has_text="carol").click()
    expect(page.locator("#answer .side").nth(1)).to_contain_text("5 matched, 20 not")
    expect(page.locator("#why-views")).to_be_hidden()
