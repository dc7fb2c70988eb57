"""Recognises the recorded cases of transforms and routes, and compares what came out.

Equal are the ads that come out, the route of each job, the order of the routes, which statements
failed and how; the wording of messages is nobody's business.  Cases in which the tool itself breaks
are not played.  Follows: the README beside the vectors.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from pieslice.data import Content
from policy.transforms.running import FaultKind as FaultKind
from policy.transforms.running import TransformFault, TransformRun
from tests.conform.runner import Case, Kind, Mismatch, unplayed
from tests.conform.transforms.router import play_routes
from tests.conform.transforms.schedd import play_schedd
from tests.conform.transforms.tools import transform_ads

_ALWAYS: Final = frozenset({"id", "kind", "family", "spelling", "bad"})
#: What the tool prints of a statement that it leaves out, and what that is here.
_COMPLAINTS: Final = (
    (r"ERROR: (?:SET|DEFAULT) .* invalid expression :", FaultKind.EXPRESSION),
    (r"ERROR: (?:EVALSET|EVALMACRO) .* could not evaluate :", FaultKind.EXPRESSION),
    (r"ERROR: RENAME .* new name .* is not valid", FaultKind.NAME),
    (r"ERROR: Error compiling regex ", FaultKind.REGEX),
)
_COMPARED: Final = frozenset(kind for _, kind in _COMPLAINTS)


def _with_texts(path: Path, content: Content) -> Iterable[Case] | None:
    """A case with the ads that it names in the file beside it; that file has no case."""
    if not isinstance(content, dict):
        return None
    if content and all(name.startswith("@") for name in content):
        return ()
    ads = content.get("ads")
    if not (isinstance(ads, str) and ads.startswith("@") and _is_ours(content)):
        return None
    texts = json.loads((path.parent / "ads.json").read_text("utf-8"))
    return [{**content, "ads": texts[ads]}]


def _is_ours(case: Case) -> bool:
    return {"family", "spelling", "kind"} <= case.keys()


def _lines(texts: list[str]) -> list[list[str]]:
    """The lines of ads, or of one in another form, in any order."""
    return [sorted(line.rstrip(",") for line in text.split("\n")) for text in texts]


def _differs(found: list[Mismatch], field: str, expected: object, actual: object) -> None:
    if expected != actual:
        found.append(Mismatch(field, expected, actual))


def _expected_faults(messages: list[str]) -> list[str]:
    kinds = []
    for message in messages:
        kinds += [kind.value for form, kind in _COMPLAINTS if re.match(form, message)]
    return kinds


def _faults(courses: list[TransformRun]) -> list[str]:
    abouts = [found.about for course in courses for found in course.complaints]
    return [
        one.kind.value
        for one in abouts
        if isinstance(one, TransformFault) and one.kind in _COMPARED
    ]


def _check_tool(case: Case) -> list[Mismatch]:
    files = {"ads": case["ads"], "-": case["ads"], **case.get("files", {})}
    if "rules" in case:
        files["rules"] = case["rules"]
    played = transform_ads(case["args"], files, case.get("config", ""))
    found: list[Mismatch] = []
    _differs(found, "rc", case["rc"], played.rc)
    _differs(found, "result", _lines(case["result"]), _lines(played.result))
    _differs(found, "messages", _expected_faults(case["messages"]), _faults(played.courses))
    skipped = sum(not course.applied for course in played.courses)
    if "skipped" in case:
        _differs(found, "skipped", len(case["skipped"]), skipped)
    return found


def _check_routes(case: Case) -> list[Mismatch]:
    played = play_routes(case.get("config", ""), case["ads"], case["args"])
    found: list[Mismatch] = []
    for field in ("Name", "Universe", "MaxJobs", "MaxIdleJobs", "GridResource", "Requirements"):
        expected = [route[field].strip('"') for route in case["routes"]]
        _differs(found, f"routes.{field}", expected, [one[field] for one in played.routes])
    _differs(found, "ends", 4 in (case["rc"], case["config_rc"]), played.ends)
    _differs(found, "candidates", case["candidates"], played.candidates)
    _differs(found, "checked", case["checked"], played.checked)
    _differs(found, "routed", _lines(case["routed"] or []), _lines(played.routed))
    return found


def _check_schedd(case: Case) -> list[Mismatch]:
    played = play_schedd(case["transform"])
    found: list[Mismatch] = []
    _differs(found, "submit_rc", case["submit_rc"] != 0, played.refused)
    if not played.refused:
        _differs(found, "changed", case.get("changed", {}), played.changed)
        _differs(found, "removed", case.get("removed", []), played.removed)
    return found


TRANSFORM_KINDS: Final = (
    unplayed(
        "fault of a tool",
        "the recorded tool itself breaks",
        lambda case: _is_ours(case) and bool(case.get("tool_bug")),
    ),
    Kind(
        "job transform",
        lambda case: _is_ours(case) and case["kind"] in ("transform", "jobtransforms"),
        _check_tool,
        _ALWAYS
        | {"rules", "config", "files", "ads", "args", "rc", "result", "messages", "steps"}
        | {"skipped", "verbose_differs"},
        beside=_with_texts,
    ),
    Kind(
        "route",
        lambda case: _is_ours(case) and case["kind"] == "route",
        _check_routes,
        _ALWAYS
        | {"config", "ads", "args", "rc", "config_rc", "route_rc", "routes", "load", "messages"}
        | {"match_messages", "route_messages", "checked", "candidates", "steps", "routed"},
    ),
    Kind(
        "transform in a schedd",
        lambda case: _is_ours(case) and case["kind"] == "schedd",
        _check_schedd,
        _ALWAYS | {"transform", "submit_rc", "submit_message", "changed", "removed", "log"},
    ),
)
