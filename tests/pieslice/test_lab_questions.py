"""Each question of administrators about one cycle is answered in the laboratory in three steps.

The questions are the recurring ones of administrators and users, by their numbers in the survey
that named them; those about days (4, 5, 10, 17), about a user map (16) and about the speed of a
cycle have other commands.  A step is what somebody does on the page, and what it then shows.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from attr import frozen
from starlette.testclient import TestClient

from tests.pieslice.test_lab import CAMPUS, TOUR, ask, opened
from tests.pieslice.test_lab_experiments import begin, events

MOST_STEPS = 3
BY_PRIORITY = "PREEMPTION_REQUIREMENTS = RemoteUserPrio > 1.2 * SubmitterUserPrio\n"
BY_QUOTA = (
    "PREEMPTION_REQUIREMENTS = RemoteGroupResourcesInUse > RemoteGroupQuota"
    " && SubmitterGroupResourcesInUse < SubmitterGroupQuota\n"
)
BREADTH_FIRST = "NEGOTIATOR_POST_JOB_RANK = Cpus\n"


class Visitor:
    """Somebody before the page; each method gives what it shows then."""

    def __init__(self, client: TestClient) -> None:
        self.client = client
        self.overlay = ""

    def write(self, text: str) -> str:
        """Type into the overlay: the sentence."""
        self.overlay = text
        found = self._edit()
        if not found["starts"]:
            return str(found["problems"])
        return "\n".join((found["sentence"], *found["notes"]))

    def tab(self, kind: str) -> str:
        """A tab of *Who pays*."""
        return json.dumps(self._edit()["changes"][kind])

    def click(self, what: str, name: str, slot: str | None = None) -> str:
        """A user, a group, a job or a slot, in the map, a table or an answer."""
        given = {"what": what, "name": name, "slot": slot}
        found = ask(self.client, "why", overlay=self.overlay, **given)
        return "\n".join(line(one) for one in found["after"])

    def findings(self) -> str:
        """The findings below the text, and the head."""
        return json.dumps(ask(self.client, "check", overlay=self.overlay))

    def hover(self, macro: str) -> str:
        """Stay on a macro of the first file of the configuration."""
        file = self.client.get("/api/pool").json()["files"][0]
        lines = file["text"].splitlines()
        (at,) = [number for number, one in enumerate(lines) if one.startswith(f"{macro} =")]
        return json.dumps(ask(self.client, "hover", file=file["name"], line=at, column=2))

    def by_machine(self) -> str:
        """The map by machine: how many machines have a match, before and after."""
        pool, edit = self.client.get("/api/pool").json(), self._edit()
        of = pool["slots"]["machine"]
        used = [len({of[one[0]] for one in it["matches"]}) for it in (pool["base"], edit["cycle"])]
        return "matches on " + ("more" if used[1] > used[0] else "as many or fewer") + " machines"

    def negotiator(self, name: str) -> str:
        """Choose one in the head: the machines whose slots it matches."""
        ask(self.client, "choose", name=name)
        pool = self.client.get("/api/pool").json()
        names = pool["machines"]["name"]
        return " ".join(names[at] for at in sorted(set(pool["slots"]["machine"])))

    def break_it(self, macro: str) -> str:
        """*Experiments*, *Break it*."""
        given = {"kind": "fuzz", "overlay": self.overlay, "macro": macro, "pairs": 20_000}
        answer = events(self.client, begin(self.client, **given))[-1]["answer"]
        return json.dumps([[one["property"], one["says"]] for one in answer["findings"]])

    def _edit(self) -> Any:
        return ask(self.client, "edit", overlay=self.overlay)


def line(block: dict[str, Any]) -> str:
    """A part of an answer, as it can be read."""
    rows = block.get("rows", [])
    words = " ".join(map(str, block.get("words", [])))
    head = block.get("line") or block.get("label") or " | ".join(block.get("columns", []))
    more = [" | ".join(row) for row in rows] + list(block.get("drawn", []))
    return "\n".join([f"{head} {words}".rstrip(), *more])


Step = tuple[str, Callable[[Visitor], str]]


@frozen
class Question:
    """``tells``: what the last step shows; ``silent``: what it does not."""

    number: int
    asked: str
    pool: str
    steps: tuple[Step, ...]
    tells: tuple[str, ...]
    silent: tuple[str, ...] = ()


QUESTIONS = (
    Question(
        1, "Why was my job preempted?", "campus",
        (("click the slot", lambda page: page.click("job", "15.0", "slot11@node07@vm")),),
        ("claimed by nice-user.dave", "PREEMPTION_REQUIREMENTS: true", "RemoteUserPrio"),
    ),
    Question(
        2, "How do I turn preemption off, and is it off now?", "campus",
        (
            ("type the line", lambda page: page.write("NEGOTIATOR_CONSIDER_PREEMPTION = false\n")),
            ("read the findings", Visitor.findings),
        ),
        ("PREEMPTION_REQUIREMENTS has no effect", "no claimed slot is looked at"),
    ),
    Question(
        2, "How many slots does it cost whom?", "campus",
        (("type the line", lambda page: page.write("NEGOTIATOR_CONSIDER_PREEMPTION = false\n")),),
        ("carol loses 15 of 20 matches", "dave keeps 11 claims"),
    ),
    Question(
        3, "Does preemption bring groups back to their quota?", "campus",
        (
            ("type the expression", lambda page: page.write(BY_PRIORITY)),
            ("Experiments, Break it", lambda page: page.break_it("PREEMPTION_REQUIREMENTS")),
        ),
        ("quota-safe", "of its quota"),
    ),
    Question(
        3, "And with the groups in the expression?", "campus",
        (
            ("type the expression", lambda page: page.write(BY_QUOTA)),
            ("Experiments, Break it", lambda page: page.break_it("PREEMPTION_REQUIREMENTS")),
        ),
        (), ("quota-safe", "margin"),
    ),
    Question(
        6, "How do I divide a pool among groups?", "campus",
        (
            ("type the quota", lambda page: page.write("GROUP_QUOTA_group_chemistry = 3\n")),
            ("the tab Groups", lambda page: page.tab("groups")),
        ),
        ("group_chemistry", "group_physics.hep"),
    ),
    Question(
        7, "In which order do the five rankings apply?", "campus",
        (("click the job", lambda page: page.click("job", "15.0")),),
        ("NEGOTIATOR_PRE_JOB_RANK | ", "\nRank | ", "NEGOTIATOR_POST_JOB_RANK | ", "decided"),
    ),
    Question(
        8, "How do I fill machines breadth-first?", "tour",
        (
            ("type the rank", lambda page: page.write(BREADTH_FIRST)),
            ("order: by machine", Visitor.by_machine),
        ),
        ("more machines",),
    ),
    Question(
        9, "Why do jobs stay idle although slots are free?", "tour",
        (
            ("click the user", lambda page: page.click("user", "frank@example.org")),
            ("click the job", lambda page: page.click("job", "12.0")),
        ),
        ("rejected, no match found", "Requirements", "0 candidates left", "of 10 slots"),
    ),
    Question(
        11, "What does a match cost, and what is left of the quota?", "campus",
        (("click the job", lambda page: page.click("job", "15.0")),),
        ("submitter limit", "of slot weight", "in use"),
    ),
    Question(
        12, "What does accept-surplus do, and who gets the surplus?", "campus",
        (
            ("type the line",
             lambda page: page.write("GROUP_ACCEPT_SURPLUS = false\n")),
            ("the tab Groups", lambda page: page.tab("groups")),
        ),
        ("group_physics",),
    ),
    Question(
        13, "Which concurrency limit blocks which job?", "tour",
        (
            ("click the user", lambda page: page.click("user", "frank@example.org")),
        ),
        ("concurrency limit matlab is full", "3 of 2 in use", "13.0"),
    ),
    Question(
        14, "How many autoclusters has a user, and which jobs are never looked at?", "campus",
        (("click the user", lambda page: page.click("user", "frank@campus.example")),),
        ("103 jobs in 3 autoclusters", "80 not requested", "at most"),
    ),
    Question(
        15, "Which negotiator serves which slots?", "two",
        (("choose it in the head", lambda page: page.negotiator("CHEMISTRY")),),
        ("node4", "big1"), ("node1", "node3"),
    ),
    Question(
        18, "How is a machine restricted to one user?", "tour",
        (
            ("type START", lambda page: page.write('START = TARGET.Owner == "bob"\n')),
            ("the tab Users", lambda page: page.tab("users")),
        ),
        ("chemistry.carol@example.org", "frank@example.org"),
    ),
    Question(
        19, "Why has my change no effect?", "campus",
        (
            ("type the line", lambda page: page.write("NEGOTIATOR_INTERVL = 10\n")),
            ("read the findings", Visitor.findings),
        ),
        ("NEGOTIATOR_INTERVL", "NEGOTIATOR_INTERVAL"),
    ),
    Question(
        19, "Why does my START change no slot?", "campus",
        (("type START", lambda page: page.write("START = TARGET.RequestCpus > 1\n")),),
        ("no difference", "changes no slot", "each startd has its own"),
    ),
    Question(
        19, "Which file set this value?", "campus",
        (("stay on the macro", lambda page: page.hover("PRIORITY_HALFLIFE")),),
        ("condor_config", "3600", "86400"),
    ),
    Question(
        20, "Does the negotiator start with my expression?", "campus",
        (
            ("type it", lambda page: page.write("PREEMPTION_REQUIREMENTS = RemoteUserPrio > (\n")),
            ("read the head", Visitor.findings),
        ),
        ("condor_negotiator would not start", '"starts": false'),
    ),
)  # fmt: skip


@pytest.fixture(scope="module")
def pools(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, TestClient]]:
    two = tmp_path_factory.mktemp("two")
    for name in ("slots.ads", "jobs.ads", "accounting.ads"):
        (two / name).write_bytes((TOUR / name).read_bytes())
    config = (TOUR / "condor_config").read_text("utf-8")
    more = (TOUR / "two_negotiators").read_text("utf-8").partition("condor_config\n")[2]
    (two / "condor_config").write_text(config + more, "utf-8")
    folders = {"campus": CAMPUS, "tour": TOUR, "two": two}
    laboratories = {name: opened(folder) for name, folder in folders.items()}
    yield {name: next(one) for name, one in laboratories.items()}
    for one in laboratories.values():
        next(one, None)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda it: f"{it.number} {it.asked}")
def test_a_question_is_answered_in_three_steps(
    question: Question, pools: dict[str, TestClient]
) -> None:
    assert 1 <= len(question.steps) <= MOST_STEPS
    page = Visitor(pools[question.pool])
    shown = ""
    for _, step in question.steps:
        shown = step(page)
    for text in question.tells:
        assert text in shown, shown
    for text in question.silent:
        assert text not in shown, shown


def test_each_question_about_one_cycle_is_in_the_table() -> None:
    about_days, elsewhere = {4, 5, 10, 17}, {16}
    asked = {one.number for one in QUESTIONS}
    assert asked == set(range(1, 21)) - about_days - elsewhere
