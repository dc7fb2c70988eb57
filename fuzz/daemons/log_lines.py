"""Lists the lines of the negotiator's log that are read, and what each one says of the cycle.

Inputs: a ``Reader`` and a line.  The patterns are tried in the order of the table ``_LINES``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from fuzz.daemons.log_reader import Reader
from fuzz.daemons.numbers import NUMBER, number
from pieslice.data import JsonData

_REMARK: Final = re.compile(
    r"(?s).*(has no claim id|Failed to evaluate|Error|skipping)"
    r"|WARNING|Concurrency Limit|Cache invalidated"
)
_MOST_REMARKS: Final = 200
_SPIN_FIELDS: Final = {
    "numSlots": "num_slots",
    "slotWeightTotal": "slot_weight_total",
    "minSlotWeight": "min_slot_weight",
    "pieLeft": "pie_left",
    "NormalFactor": "normal_factor",
    "MaxPrioValue": "max_prio",
    "NumSubmitterAds": "num_submitter_ads",
}
_TURN_FIELDS: Final = {
    "SubmitterPrio": "prio",
    "SubmitterPrioFactor": "prio_factor",
    "submitterShare": "share",
    "submitterAbsShare": "abs_share",
    "submitterLimit": "limit",
    "submitterCeiling remaining": "ceiling_remaining",
    "submitterUsage": "usage",
}


_Take = Callable[[Reader, re.Match[str]], None]


def _significant(reader: Reader, match: re.Match[str]) -> None:
    names = match[1].strip()
    reader.out["significant_attributes"] = [] if names == "(none)" else names.split(",")


def _counts(reader: Reader, match: re.Match[str]) -> None:
    reader.out["num_submitter_ads"] = int(match[1])
    reader.out["num_slot_ads"] = int(match[2])


def _trimmed(reader: Reader, match: re.Match[str]) -> None:
    reader.out["trimmed"].append(match[1])


def _trimmed_out(reader: Reader, match: re.Match[str]) -> None:
    reader.out["remarks"].append(match.string)


def _customer(reader: Reader, match: re.Match[str]) -> None:
    reader.out["priority_updates"].append(
        {
            "customer": match[1],
            "old": number(match[2]),
            "new": number(match[3]),
            "resources_used": int(match[4]),
            "weighted": number(match[5]),
        }
    )


def _customer_aged(reader: Reader, match: re.Match[str]) -> None:
    reader.out.setdefault("time_passed", []).append(int(match[2]))


def _floors(reader: Reader, _match: re.Match[str]) -> None:
    reader.floor_next = True


def _floors_over(reader: Reader, _match: re.Match[str]) -> None:
    reader.floor_next = False
    reader.end_turn()


def _halted(reader: Reader, match: re.Match[str]) -> None:
    pie = reader.pie
    if pie is None or pie["end"]:
        pie = reader.start_pie()
    pie["end"] = match.string


def _quota_used(reader: Reader, match: re.Match[str]) -> None:
    pie = reader.start_pie() if reader.pie is None else reader.pie
    pie["end"] = match.string


def _phase_3(reader: Reader, _match: re.Match[str]) -> None:
    reader.start_pie()


def _phase_4(reader: Reader, match: re.Match[str]) -> None:
    assert reader.pie is not None
    reader.spin = {"spin": int(match[1]), "submitters": []}
    reader.pie["spins"].append(reader.spin)
    reader.end_turn()


def _spin_number(reader: Reader, match: re.Match[str]) -> None:
    assert reader.spin is not None
    reader.spin[_SPIN_FIELDS[match[1]]] = number(match[2])
    if match[3]:
        reader.spin["num_candidate_slots"] = int(match[3])


def _turn_begins(reader: Reader, match: re.Match[str]) -> None:
    reader.add_turn(name=match[1], schedd=reader.schedd(match[2]), events=[])
    reader.request = reader.scan = None


def _turn_without_jobs(reader: Reader, match: re.Match[str]) -> None:
    reader.add_turn(name=match[1], events=["no idle jobs"])


def _turn_skipped(reader: Reader, match: re.Match[str]) -> None:
    if reader.turn is None or reader.turn["name"] != match[1]:
        reader.add_turn(name=match[1], events=[])
    assert reader.turn is not None
    reader.turn["events"].append("skipped: " + match[3].strip())


def _turn_number(reader: Reader, match: re.Match[str]) -> None:
    assert reader.turn is not None
    reader.turn[_TURN_FIELDS[match[1]]] = number(match[2])
    if match[3]:
        reader.turn["starved"] = number(match[3])


def _request(reader: Reader, match: re.Match[str]) -> None:
    assert reader.turn is not None
    reader.request = {
        "job": f"{int(match[1])}.{int(match[2])}",
        "submitter": reader.turn["name"],
        "schedd": reader.turn["schedd"],
        "autocluster": int(match[3]),
        "count": int(match[4]),
        "of": int(match[5]),
        **reader.place,
    }
    reader.out["requests"].append(reader.request)
    reader.scan = None


def _matchmaking(reader: Reader, match: re.Match[str]) -> None:
    assert reader.request is not None
    for key, text in zip(("limit", "used", "pie_left"), match.groups(), strict=True):
        reader.request[key] = number(text)
    reader.scan = None


def _tested(reader: Reader, match: re.Match[str]) -> None:
    scan = reader.current_scan()
    scan["tested"] += 1
    reader.tested(match[3])
    if match[2] == "does":
        scan["matched"].append(match[3])


def _refused(cause: str) -> _Take:
    """A slot that matched and is no candidate; the first group of the pattern names it."""

    def take(reader: Reader, match: re.Match[str]) -> None:
        reader.current_scan()[cause].append(match[1])

    return take


def _cached(reader: Reader, match: re.Match[str]) -> None:
    assert reader.request is not None
    failed = match[1].startswith("Failed")
    reader.request["cached_match_list"] = "failed" if failed else "succeeded"


def _rejected(reader: Reader, match: re.Match[str]) -> None:
    rejection = {
        "job": f"{match[1]}.{match[2]}",
        "submitter": match[3],
        "schedd": reader.schedd(match[4]),
        "reason": match[5],
        **reader.place,
    }
    reader.out["rejections"].append(rejection)


def _preempting(reader: Reader, match: re.Match[str]) -> None:
    reader.preemption = {
        "preempted": match[1],
        "preempted_prio": number(match[2]),
        "old_startd_rank": number(match[3]),
        "slot": match[4],
        "new_prio": number(match[6]),
        "new_startd_rank": number(match[7]),
    }


def _matched(reader: Reader, match: re.Match[str]) -> None:
    assert reader.request is not None
    place = reader.place
    record: JsonData = {
        "seq": len(reader.out["matches"]),
        "pie": place["pie"],
        "spin": place["spin"],
        "submitter": match[3],
        "schedd": reader.schedd(match[4]),
        "job": f"{match[1]}.{match[2]}",
        "count": reader.request["count"],
        "of": reader.request["of"],
        "autocluster": reader.request["autocluster"],
        "slot": match[7],
        "kind": "none",
        "preempted": None,
        "cost": None,
    }
    if match[5] not in ("none", ""):
        record["log_preempting"] = match[5]
    if match[8]:
        record["offline"] = True
    told = reader.preemption
    if told is not None and told["slot"] == match[7]:
        record["preempted"] = told["preempted"]
        ranked = told["new_startd_rank"] > told["old_startd_rank"]
        record["kind"] = "rank" if ranked else "priority"
        for key in ("preempted_prio", "old_startd_rank", "new_prio", "new_startd_rank"):
            record[key] = told[key]
    reader.preemption = None
    reader.out["matches"].append(record)


def _cost(reader: Reader, match: re.Match[str]) -> None:
    reader.out["matches"][-1]["cost"] = number(match[1])


def _happens(event: str) -> _Take:
    """Something that a turn has among its events."""

    def take(reader: Reader, _match: re.Match[str]) -> None:
        assert reader.turn is not None
        reader.turn["events"].append(event)

    return take


def _ends(outcome: str) -> _Take:
    """How a turn ends."""

    def take(reader: Reader, _match: re.Match[str]) -> None:
        assert reader.turn is not None
        reader.turn["outcome"] = outcome

    return take


#: Which lines are read, in this order: pattern, what must have begun, what is done.
_LINES: Final[tuple[tuple[re.Pattern[str], str | None, _Take], ...]] = tuple(
    (re.compile(pattern), state, take)
    for pattern, state, take in (
        # first, since most lines are these: they are written for each slot and request
        (r"Job (\d+\.\d+) (does|does not) match with (\S+)\.$", None, _tested),
        (
            r"PREEMPTION_REQUIREMENTS prevents job \S+ from claiming (\S+)\.$",
            None, _refused("preemption_requirements_false"),
        ),
        (
            r"Job \S+ has lower startd rank than existing job on (\S+)\.$",
            None, _refused("lower_startd_rank"),
        ),
        (
            r"Job \S+ does not have higher startd rank than existing job on (\S+)\.$",
            None, _refused("not_higher_startd_rank"),
        ),
        (r"Ignoring (\S+) because it is unclaimed", None, _refused("unclaimed_ignored")),
        (
            r"Job \S+ is from the same user as the existing job on (\S+) and",
            None, _refused("same_user"),
        ),
        (r"Leaving compute_significant_attrs\(\) - result=(.*)", None, _significant),
        (r"Public ads include (\d+) submitter, (\d+) startd", None, _counts),
        (r"Trimming (\S+), because (.*) still has (-?\d+)s", None, _trimmed),
        (r"Trimmed out", None, _trimmed_out),
        (
            rf"CustomerName=(.*) , Old Priority=\s*{NUMBER} , New Priority=\s*{NUMBER} , "
            rf"ResourcesUsed=(-?\d+) , WeightedResourcesUsed={NUMBER}",
            None, _customer,
        ),
        (
            rf"\(ACCOUNTANT\) Updating priorities - AgingFactor=\s*{NUMBER} , "
            r"TimePassed=(-?\d+)",
            None, _customer_aged,
        ),
        (r"\s*(\d+) submitters have a floor defined", None, _floors),
        (r".*Floor round finished", None, _floors_over),
        (r"Halting negotiation: (.*)", None, _halted),
        (rf"Group (\S+) is using its quota {NUMBER} - halting negotiation", None, _quota_used),
        (r"Phase 3:", None, _phase_3),
        (r"Phase 4\.(\d+):", None, _phase_4),
        (
            rf"\s+({'|'.join(_SPIN_FIELDS)}) = (\S+)(?: \(after trimming=(\d+)\))?",
            "spin", _spin_number,
        ),
        (r"\s+Negotiating with (\S+) at (<\S+>)", "spin", _turn_begins),
        (
            r"\s+Negotiating with (\S+) skipped because no idle jobs",
            "spin", _turn_without_jobs,
        ),
        (r"\s+Negotiation with (\S+) skipped (as|because) (.*)", "spin", _turn_skipped),
        (
            rf"\s+({'|'.join(_TURN_FIELDS)})\s*= (\S+)(?: \(starved (\S+)\))?",
            "turn", _turn_number,
        ),
        (
            r"\s+Request (\d+)\.(\d+): autocluster (-?\d+) \(request count (\d+) of (\d+)\)",
            None, _request,
        ),
        (
            rf"matchmakingAlgorithm: limit {NUMBER} used {NUMBER} pieLeft {NUMBER}",
            None, _matchmaking,
        ),
        (
            r"Attempting to use cached MatchList: (\S+) \(MatchList length: (\d+)",
            None, _cached,
        ),
        (r"\s+Rejected (\d+)\.(\d+) (\S+) (<\S+>): (.*)", None, _rejected),
        (
            rf"\s+Preempting (.*) \(user prio={NUMBER}, startd rank={NUMBER}\) on (\S+) "
            rf"for (\S+) \(user prio={NUMBER}, startd rank={NUMBER}\)",
            None, _preempting,
        ),
        (
            r"\s+Matched (\d+)\.(\d+) (\S+) (<\S+>) preempting (.*) (<\S+>) (\S+)"
            r"( \(offline\))?$",
            None, _matched,
        ),
        (rf"Match completed, match cost= {NUMBER}", None, _cost),
        (
            rf"\s+Over submitter resource limit \({NUMBER}, used {NUMBER}\) \.\.\. "
            r"only consider startd ranks",
            "turn", _happens("over limit: only startd rank"),
        ),
        (
            rf"\s+Reached submitter resource limit: {NUMBER}",
            "turn", _happens("reached limit"),
        ),
        (r".*has hit the ceiling", "turn", _happens("hit ceiling")),
        (
            r".*Hit submitter limit: done negotiating",
            "turn", _happens("hit limit, done"),
        ),
        (r".*This submitter hit its submitterLimit", "turn", _ends("resume")),
        (r"\s+Submitter (\S+) got all it wants; removing it", "turn", _ends("done")),
        (r".*Ignoring submitter for this cycle", "turn", _ends("error")),
    )
)  # fmt: skip


def read_line(reader: Reader, text: str) -> None:
    """Take in a line."""
    for pattern, state, take in _LINES:
        if state is None or getattr(reader, state) is not None:
            match = pattern.match(text)
            if match:
                take(reader, match)
                return
    if reader.group_line(text):
        return
    remarks = reader.out["remarks"]
    if _REMARK.match(text) and text not in remarks and len(remarks) < _MOST_REMARKS:
        remarks.append(text)
