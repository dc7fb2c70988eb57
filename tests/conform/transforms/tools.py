"""Plays ``condor_transform_ads`` with the transforms of ``policy``: its command line and output.

Inputs: arguments, the texts of the files in its folder.  Outputs: the ads that it writes, what
failed, its exit status (1 is success).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatch
from functools import cache
from io import StringIO
from random import Random
from typing import Final

from attr import define, evolve, field

from classad.ads.ad import Ad
from classad.errors import Diagnostic
from classad.evaluate import EvalContext
from classad.files.ads import read_ads
from classad.formats.json import format_json
from classad.formats.xml import format_xml
from policy.config import Config, load_config
from policy.io import builtin_library
from policy.language.host import HostFacts
from policy.language.sources import MemorySources
from policy.language.table import Definition
from policy.transforms.job import TransformedJob, text_of
from policy.transforms.passes import Files, PassesError, passes
from policy.transforms.rules import Rules, rules_of_definition, rules_of_text
from policy.transforms.running import TransformRun, check_lines, run
from policy.transforms.transforms import rules_named, rules_of_macro
from policy.transforms.variables import Variables

CONFIG: Final = "condor_config"
NOW: Final = 1795788165.0
SUCCESS, NO_AD, FAILURE = 1, 0, 255
_DEFINES: Final = re.compile(r"([^=\s]+)=(.*)")


class UsageError(Exception):
    """Arguments that the tool refuses."""


@define
class Played:
    """What came out; ``courses`` are the runs of rules, in order."""

    rc: int = SUCCESS
    result: list[str] = field(factory=list)
    courses: list[TransformRun] = field(factory=list)
    problems: list[Diagnostic] = field(factory=list)


@define
class Arguments:
    """A command line that was read."""

    rules: list[tuple[str, str]] = field(factory=list)
    ads: list[str] = field(factory=list)
    defines: dict[str, str] = field(factory=dict)
    form: str = ""


def read_arguments(words: list[str]) -> Arguments:
    """Raises ``UsageError``."""
    found = Arguments()
    rest = iter(words)
    for word in rest:
        option, _, how = word.partition(":")
        if option in ("-rules", "-jobtransforms", "-jobroute"):
            value = next(rest, None)
            if value is None:
                raise UsageError(word)
            found.rules.append((option, value))
        elif option == "-out":
            next(rest)
            form = how.partition(",")[0]
            found.form = form if form in ("json", "xml") else "long"
        elif option in ("-long", "-json", "-xml"):
            found.form = "long"
        elif option == "-in":
            continue
        elif word.startswith("-") and word != "-":
            raise UsageError(word)
        elif (defined := _DEFINES.fullmatch(word)) is not None:
            if not re.fullmatch(r"\w+", defined[1]):
                raise UsageError(word)
            found.defines[defined[1]] = word[1:]
        else:
            found.ads.append(word)
    if not found.rules:
        raise UsageError("no rules")
    return found


@cache
def _config(text: str) -> Config:
    environment = {"TF_COLOR": "blue"}
    library = builtin_library()
    host = HostFacts(working_directory="")
    return load_config(
        CONFIG, MemorySources({CONFIG: text}), library, environment=environment, host=host, now=NOW,
        rng=Random(0), folder=None,
    )  # fmt: skip


def configuration(text: str) -> Config:
    """The configuration of a text."""
    return _config(text)


def transform_ads(words: list[str], files: Mapping[str, str], config_text: str) -> Played:
    """What the tool does with some arguments; ``files``: those of its folder, ``-`` its input."""
    played = Played()
    config = configuration(config_text)
    try:
        arguments = read_arguments(words)
    except UsageError:
        return played
    if not config.complete:
        return Played(rc=1)
    try:
        rules = _rules(arguments, files, config, played)
    except FileNotFoundError:
        return evolve(played, rc=FAILURE)
    faults = [one.fault for one in rules if one.fault is not None]
    if faults:
        return evolve(played, rc=FAILURE, problems=faults)
    for path in arguments.ads:
        text = files.get(path)
        ads = [] if text is None else list(_ads(text))
        if not ads:
            played.rc = NO_AD
        for ad in ads:
            if not _transform(rules, ad, arguments, files, config, played):
                return evolve(played, rc=FAILURE)
    if arguments.form and arguments.ads:
        played.result = [_whole(played.result, arguments.form)]
    return played


def _rules(
    arguments: Arguments, files: Mapping[str, str], config: Config, played: Played
) -> list[Rules]:
    found: list[Rules] = []
    known: dict[str, Definition] = {}
    for option, value in arguments.rules:
        if option == "-jobtransforms":
            named, missing = rules_named("JOB_TRANSFORM_", value, config, old=True)
            named += [
                rules_of_definition(known[macro], name)
                for name in missing
                if (macro := f"job_transform_{name}".casefold()) in known
            ]
            played.problems += [one.fault for one in named if one.fault is not None]
            found += [one for one in named if one.fault is None]
        elif option == "-jobroute":
            one = rules_of_macro(f"JOB_ROUTER_ROUTE_{value}", value, config)
            found += [] if one is None else [one]
        elif value.startswith("config://"):
            name = value.removeprefix("config://").strip("/")
            one = rules_of_macro(name, name, config)
            found += [] if one is None else [one]
        elif value in files:
            one = rules_of_text(files[value], value)
            # Rules of which nothing is run but assignments are dropped, and these are kept.
            variables = Variables(config, TransformedJob(Ad()), EvalContext(now=NOW))
            looked_at = check_lines(one, variables)
            known.update(variables.values)
            is_run = looked_at.steps or looked_at.failure or one.iteration or one.requirements
            found += [one] if is_run else []
        else:
            raise FileNotFoundError(value)
    return found


def _ads(text: str) -> Iterator[Ad]:
    """The ads before the first line that does not parse."""
    diagnostics: list[Diagnostic] = []
    ads = list(read_ads(StringIO(text), errors="htcondor", diagnostics=diagnostics))
    lost = [found.line or 0 for found in diagnostics if found.severity == "error"]
    if lost:
        kept = "\n".join(text.split("\n")[: min(lost) - 1])
        before = kept.rpartition("\n\n")[0] if not kept.endswith("\n\n") else kept
        ads = (
            list(read_ads(StringIO(before), errors="htcondor", diagnostics=[]))
            if before.strip()
            else []
        )
    yield from ads


def _transform(
    rules: list[Rules], ad: Ad, arguments: Arguments, files: Mapping[str, str], config: Config,
    played: Played,
) -> bool:  # fmt: skip
    """Transform one ad, and write what comes out; False if the tool ends."""
    variables = Variables(config, TransformedJob.of(ad), EvalContext(now=NOW))
    for name, value in arguments.defines.items():
        variables.put(name, value)
    last = rules[-1] if rules else None
    seen = Files(files.get, lambda pattern, kind: _matched(files, pattern, kind))
    try:
        turns = [{}] if last is None else passes(last, variables, seen)
    except PassesError as mistake:
        played.problems.append(mistake.diagnostic)
        return False
    before = dict(variables.values)
    for turn in turns:
        variables.values = dict(before)
        variables.job = TransformedJob.of(ad)
        variables.set_live(turn)
        failed = False
        for one in rules:
            course = run(one, variables)
            played.courses.append(course)
            failed = failed or course.failure is not None
        if failed:
            return False
        if not list(variables.job.ad.names()):
            continue
        played.result.append(_printed(variables.job.ad, arguments.form))
    return True


def _matched(files: Mapping[str, str], pattern: str, kind: str) -> list[str]:
    return [name for name in sorted(files) if kind != "dirs" and fnmatch(name, pattern)]


def printed(ad: Ad) -> str:
    """An ad in long form, sorted by name without case."""
    names = sorted(ad.names(), key=str.casefold)
    return "\n".join(f"{name} = {text_of(ad.raw(name))}" for name in names)


def _printed(ad: Ad, form: str) -> str:
    if form in ("json", "xml"):
        ordered = Ad()
        for name in sorted(ad.names(), key=str.casefold):
            ordered.insert(name, ad.raw(name))
        return format_json(ordered) if form == "json" else format_xml(ordered)
    return printed(ad)


def _whole(ads: list[str], form: str) -> str:
    if form == "json":
        return "[\n" + ",\n".join(ads) + "\n]\n"
    if form == "xml":
        head = '<?xml version="1.0"?>\n<!DOCTYPE classads SYSTEM "classads.dtd">\n<classads>\n'
        return head + "".join(ads) + "</classads>\n"
    return "".join(f"{ad}\n\n" for ad in ads)
