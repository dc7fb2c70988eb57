"""Asks the real ClassAd library and writes its answers: ``python -m tests.classad.recorder``.

Needs the package ``htcondor`` of the version that the vectors are of.  What is asked stands in
``tests/classad/asked.py``; each topic becomes a file of ``tests/vectors/classad``.  A case that
crashes the library, that it answers with memory of its own, or that an older file has is left out.
With ``--compare`` nothing is written: prints where our answer is another one.

Relative times are asked through ``splitTime``, since the binding cuts them to whole seconds.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import json
import math
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from tests.classad.asked import TOPICS, Question
from tests.conform.language.evaluation import LANGUAGE_KINDS
from tests.conform.language.printing import PRINTING_KINDS
from tests.conform.runner import check_case

FOLDER: Final = Path(__file__).parents[1] / "vectors" / "classad"
#: Cases that one process is asked.
_CHUNK: Final = 200


def _real_text(number: float) -> str:
    if math.isnan(number):
        return "nan"
    if math.isinf(number):
        return "inf" if number > 0 else "-inf"
    return repr(number)


class _Library:
    """The real library in this process, in a zone."""

    def __init__(self, zone: str) -> None:
        os.environ.update({"TZ": zone, "CONDOR_CONFIG": "ONLY_ENV", "LC_ALL": "C"})
        time.tzset()
        # htcondor2 comes first: it switches the library to the meaning that the daemons use.
        importlib.import_module("htcondor2")
        self.module = importlib.import_module("classad2")

    def case(self, question: Question) -> dict[str, Any] | None:
        """The recorded case of a question; None if the binding can't tell its value."""
        expression, my, target = question.expression, question.my, question.target
        scopes = [self.module.ClassAd(_as_ad(text)) for text in (my, target) if text is not None]

        def asked(text: str) -> Any:
            return self.module.ExprTree(text).eval(*scopes)

        case: dict[str, Any] = {"expr": expression}
        if my is not None:
            case["my"] = my
        if target is not None:
            case["target"] = target
        if question.zone != "UTC":
            case["tz"] = question.zone
        try:
            tree = self.module.ExprTree(expression)
        except self.module.ClassAdException:
            return case | {"value": {"type": "parse_error", "value": None}, "unparsed": None}
        if question.printed:
            case["tree_old"] = self._old(tree)
        try:
            value = tree.eval(*scopes)
            if isinstance(value, float) and asked(f"isRelTime({expression})") is True:
                return self.case(question._replace(expression=f"splitTime({expression})"))
        except self.module.ClassAdException:
            error = {"type": "error", "value": None}
            return case | {"value": error, "unparsed": "error", "eval_ok": False}
        kind, plain = self._encoded(value, expression, asked)
        # What prints a list or an ad in one line is a function of the language.
        printed = plain if kind in ("list", "classad") else str(tree.simplify(*scopes))
        case |= {"value": {"type": kind, "value": plain}, "unparsed": printed}
        old = self._old(tree.simplify(*scopes))
        return case if old == printed else case | {"unparsed_old": old}

    def _encoded(
        self, value: Any, expression: str, asked: Callable[[str], Any]
    ) -> tuple[str, object]:
        if isinstance(value, self.module.Value):
            return value.name.lower(), None
        if isinstance(value, bool):
            return "boolean", value
        if isinstance(value, int):
            return "integer", value
        if isinstance(value, float):
            return "real", _real_text(value)
        if isinstance(value, str):
            return "string", value
        if isinstance(value, list):
            return "list", asked(f"string({expression})")
        if isinstance(value, self.module.ClassAd):
            return "classad", asked(f"string({expression})")
        offset = asked(f"splitTime({expression}).Offset")
        return "abstime", {"secs": int(value.timestamp()), "offset": offset}

    def _old(self, value: Any) -> str:
        ad = self.module.ClassAd()
        ad["a"] = value
        return str(ad.printOld()).removeprefix("a = ").removesuffix("\n")


def _as_ad(attributes: dict[str, str]) -> str:
    return "[" + ";".join(f"{name} = {text}" for name, text in attributes.items()) + "]"


def _in_a_fork(work: Callable[[], Any]) -> Any:
    """What ``work`` returns in a process of its own; None if that crashes."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            with os.fdopen(writing, "w", encoding="utf-8", errors="surrogatepass") as out:
                json.dump(work(), out)
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8", errors="surrogatepass") as answers:
        text = answers.read()
    os.waitpid(child, 0)
    try:
        return json.loads(text)
    except ValueError:
        return None


def recorded(questions: Sequence[Question], zone: str) -> list[dict[str, Any] | None]:
    """The cases of questions, None for those that crash the library."""

    def answers() -> list[dict[str, Any] | None]:
        library = _Library(zone)
        found = []
        for question in questions:
            try:
                found.append(library.case(question))
            except Exception as problem:  # the binding fails to make a value of Python
                print(f"left out: {question.expression}: {problem!r}", file=sys.stderr)
                found.append(None)
        return found

    found = _in_a_fork(answers)
    if found is not None:
        return list(found)
    if len(questions) == 1:
        print(f"crashed: {questions[0].expression}", file=sys.stderr)
        return [None]
    half = len(questions) // 2
    return recorded(questions[:half], zone) + recorded(questions[half:], zone)


def _key(case: dict[str, Any]) -> str:
    inputs = [case.get(name) or None for name in ("expr", "my", "target", "tz", "syntax")]
    return json.dumps(inputs)


def _known(but: str) -> set[str]:
    """The inputs of the files of vectors other than that of a topic."""
    found = set()
    for path in FOLDER.glob("*.jsonl"):
        if path.stem != but:
            for line in path.read_text("utf-8").split("\n"):
                if line:
                    found.add(_key(json.loads(line)))
    return found


def cases(topic: str) -> Iterator[dict[str, Any]]:
    """The cases of a topic that no other file has, as they are written."""
    seen = _known(topic)
    by_zone: dict[str, list[Question]] = {}
    for question in TOPICS[topic]():
        by_zone.setdefault(question.zone, []).append(question)
    for zone, questions in by_zone.items():
        for start in range(0, len(questions), _CHUNK):
            for case in recorded(questions[start : start + _CHUNK], zone):
                if case is None or _key(case) in seen:
                    continue
                seen.add(_key(case))
                digest = hashlib.sha256(_key(case).encode("utf-8", "surrogatepass")).hexdigest()
                yield {"id": f"{topic}:{digest[:12]}", **case}


def main(arguments: Sequence[str] | None = None) -> None:
    """Record what the arguments say."""
    parser = argparse.ArgumentParser(prog="python -m tests.classad.recorder", description=__doc__)
    parser.add_argument("topics", nargs="*", default=list(TOPICS), help="some topics only")
    parser.add_argument("--compare", action="store_true", help="write nothing")
    args = parser.parse_args(arguments)
    for topic in args.topics:
        lines = []
        for case in cases(topic):
            outcome = check_case(case, (*LANGUAGE_KINDS, *PRINTING_KINDS))
            if outcome.mismatches:
                print(f"DIFFERS {json.dumps(case)}")
                for mismatch in outcome.mismatches:
                    print(f"    {mismatch.field}: {mismatch.expected!r}, ours {mismatch.actual!r}")
            lines.append(json.dumps(case, separators=(",", ":")))
        print(f"{topic}: {len(lines)} cases, {sum(map(len, lines))} bytes")
        if not args.compare:
            text = "".join(f"{line}\n" for line in lines)
            (FOLDER / f"{topic}.jsonl").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
