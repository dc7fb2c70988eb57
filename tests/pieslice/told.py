"""Prints what the functions of reports make of many inputs, a section each.

``python -m tests.pieslice.told`` writes ``answered/told.txt`` anew, which a test compares.
"""

from __future__ import annotations

import argparse
import contextlib
import inspect
import io
import itertools
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any, Final

import pieslice
from classad import ClassAd, parse
from classad.errors import Diagnostic
from classad.evaluate import EvalContext
from pieslice.cli import build_parser
from pieslice.conform.kinds import KINDS
from pieslice.conform.runner import _cases, check_case
from pieslice.live.anonymity import anonymous
from pieslice.live.capture import LiveCapture
from pieslice.reports import charts as looks_of
from pieslice.reports import layout, names, output, plots, text
from pieslice.reports.html import html_of
from pieslice.reports.layout import Column, Drawn, Line, Table, Wrapped
from pieslice.reports.result import DataTable
from pieslice.reports.vacating import vacating
from pieslice.runreport import command, figures, spread
from pieslice.runreport.data import run_data
from pieslice.runreport.metrics import Metric, cell, signed
from pieslice.runreport.plots import charts
from pieslice.shadow import outcome, report
from pieslice.simulation.output import EVENT_COLUMNS, SERIES_COLUMNS
from pieslice.sweeps.grid import split_values
from tests.pieslice.simulations import course, drawn
from tests.pieslice.test_conform_sees import changed, leaves

KEPT: Final = Path(__file__).parent / "answered" / "told.txt"
_WORDS: Final = (
    "job", "waits", "for", "NEGOTIATOR_CONSIDER_PREEMPTION,", "slot1@node0001.campus.example",
    "(Memory>=RequestMemory)&&(Cpus>=RequestCpus)||TARGET.IsOwner", "GROUP_QUOTA_DYNAMIC_physics",
    "a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p", "a-b-c", "`PREEMPTION_REQUIREMENTS`", "it", "1.5",
    "group_physics.hep.alice@campus.example", "group_physics.hep.bob@campus.example",
    "slot12_3@node0002.campus.example", "\u202ename\x07",
)  # fmt: skip


# --- layout -------------------------------------------------------------------------------------


def _column(rng: Random) -> Column:
    kind = rng.choice(("number", "name", "prose", "plain"))
    return Column(
        rng.choice(("user", "effective", "priority", "reason", "a long title")),
        rng.choice(("", "", "weight", "% of pie")),
        right=kind == "number",
        drop=rng.choice((0, 0, 1, 2, 3)),
        brief=rng.choice(("", "", "prio")),
        brief_unit=rng.choice(("", "%")),
        name=kind == "name",
        prose=kind == "prose",
    )


def _table(rng: Random) -> Table:
    columns = tuple(_column(rng) for _ in range(rng.randrange(1, 6)))
    rows = [
        tuple(
            " ".join(rng.choices(_WORDS, k=rng.randrange(1, 9)))
            if column.prose
            else rng.choice(_WORDS)
            if column.name
            else f"{rng.randrange(10 ** rng.randrange(1, 7)) / 10}"
            for column in columns
        )
        for _ in range(rng.randrange(0, 4))
    ]
    return Table(columns, tuple(rows), rng.choice((0, 2, 2, 4)))


def tables() -> Iterator[str]:
    """Tables at several widths."""
    for number in range(26):
        rng = Random(f"table {number}")
        table = _table(rng)
        for width in sorted(rng.sample(range(10, 120), 3)):
            yield f"{number} at {width}"
            yield layout.render_plain([table], width)
    rng = Random("colours")
    for _ in range(3):
        yield layout.render_coloured([_table(rng)], 50)
        yield html_of([_table(rng)])


def lines() -> Iterator[str]:
    """Lines and lists of words at several widths."""
    for number in range(24):
        rng = Random(f"line {number}")
        told = " " * rng.randrange(5) + " ".join(rng.choices(_WORDS, k=rng.randrange(1, 12)))
        level = rng.choice(("", "", "good", "bad"))
        block: Any = Line(told, heading=rng.random() < 0.3, level=level)
        if number % 2:
            label = rng.choice(("", "slots", "a longer label"))
            block = Wrapped(label, tuple(told.split()), rng.choice((0, 2, 4, 6)))
        for width in rng.sample(range(8, 100), 2):
            yield f"{number} at {width}"
            yield layout.render_plain([block], width)
            yield layout.render_coloured([block], width)
        yield html_of([block])
    drawn_lines = Drawn(lambda width: [f"<{width}>", "a\tb"], 3)
    yield layout.render_plain([drawn_lines, Line(), Line("x", level="bad")], 20)
    yield html_of([drawn_lines, Line(), Line("  <x>", heading=True)])
    for line in (
        "error: no such file",
        "c:1: warning[dead-branch]: never",
        "note: a note",
        "a warning: not at the beginning, but behind a colon: note: x",
        "schedd: would start",
        "negotiator: would not start, it says",
        "would starting",
        "nothing",
    ):
        yield layout.with_verdicts(line)


def shortened() -> Iterator[str]:
    """Names that are too long."""
    known = [word for word in _WORDS if "@" in word]
    for width in (2, 3, 5, 8, 12, 16, 20, 24, 28, 31, 32, 40):
        yield f"{width}: {layout.shortened(known, width)}"
        hosts = [f"node{it:03d}.site-{it % 3}.example" for it in range(8)]
        yield f"  {layout.shortened(hosts, width)}"
        yield f"  {layout.shortened(['a@b', 'abcdefghijklmnopqrstuvwxyz'], width)}"


_NUMBERS: Final = (
    None, 0, 0.0, -0.0, 0.004, 0.005, -0.004, -0.006, 1, 1.005, 99.995, 1234567.891, 1e9, 1e10,
    99999.95, 999999.5, 1e14, 999999999999999.0, 1e15, 1e16, -1e15, -2e15, 2**31 - 1, 2**31, 1e300,
    1.7976931348623157e308, 9.99e299, 0.000123456789, 123456.7, 1 / 3,
)  # fmt: skip


def numbers() -> Iterator[str]:
    """Numbers as they are printed."""
    for value in _NUMBERS:
        several = [layout.number(value, digits) for digits in (0, 1, 2, 3)]
        yield f"{value}: {' | '.join([*several, layout.short(value), layout.rounded(value)])}"
        if value is not None and abs(value) < 1e12:
            yield f"  {cell(value, 1)} {signed(value, 0)} {signed(value, 2)}"
    for seconds in (0, -1, 0.9, 1.7e9, 1763678367, 253402300799, 253402300800, 1e18, -1e12):
        yield f"{seconds}: {text.iso_time(seconds)}"
    for count, word in itertools.product((0, 1, 2, 1000), ("job", "match", "arch", "hour")):
        yield text.plural(count, word)
    for count in (0, 1, 3, 4, 5, 6):
        every = [f"n{number}" for number in range(count)]
        yield f"{text._some(every)} | {names.listed(every)}"
        yield names.meant_or_known("n7", every) + names.did_you_mean("zz", every)
    for values in ("a,b", "f(1,2),3", "{1,2},[a,b]", '"a,b","c\\",d"', "a)b,c", ",", "", " a , b "):
        yield f"{values}: {split_values(values)}"
    table = DataTable(
        "rows", ("some_name", "value", "truth"),
        (("a", 1.23456789, True), ("", None, False), (None, 5, None)) * 17 + (("z", 0.0, True),),
    )  # fmt: skip
    yield f"{table!r} {len(table)} {table[1]} {table[-1]} {table['value'][:3]} {len(table[3:9])}"
    yield str(table)
    yield str(table[49:52])
    yield html_of(table[:2].blocks())


# --- preempted jobs -----------------------------------------------------------------------------


def leaving() -> Iterator[str]:
    """How jobs leave their slots."""
    slots = (
        "", "RetirementTimeRemaining = 50", "RetirementTimeRemaining = -5",
        "MaxJobRetirementTime = 900; TotalJobRunTime = 300",
        "MaxJobRetirementTime = TARGET.Long; MachineMaxVacateTime = 60",
        "MaxJobRetirementTime = 100; MachineMaxVacateTime = -1; TotalJobRunTime = 200",
        "MachineMaxVacateTime = 0; AccountingGroup = \"g.a@x\"; RemoteUser = \"b@x\"",
        "AccountingGroup = \"\"; RemoteUser = \"b@x\"; JobId = \"7.0\"; JobUniverse = 5",
        "RetirementTimeRemaining = 700; MachineMaxVacateTime = 100",
    )  # fmt: skip
    jobs = (
        None, "", "KillSig = \"sigint\"; Long = 40.9", "KillSig = 2", "KillSig = 99", "KillSig = 0",
        "JobUniverse = 1; ClusterId = 3; ProcId = 0", "JobUniverse = 13; JobVMCheckpoint = true",
        "JobUniverse = 13", "JobUniverse = 77; ClusterId = 4",
        "MaxJobRetirementTime = 50; JobMaxVacateTime = 20", "JobMaxVacateTime = 650",
        "KillSigTimeout = 5; ProcId = 1", "JobMaxVacateTime = \"no\"", "JobMaxVacateTime = -3",
        "MaxJobRetirementTime = 99999; JobMaxVacateTime = 60",
    )  # fmt: skip
    context = EvalContext(now=1000.0)
    for slot, job in itertools.product(slots, jobs):
        ads: dict[str, tuple[str, ClassAd]] = {}
        if job is not None:
            ads["s"] = ("schedd", _new_ad(job))
        found = vacating("s", _new_ad(slot), ads, context, "user")
        values = (getattr(found, name.name) for name in found.__attrs_attrs__)
        yield f"{slot} | {job}: {' '.join(map(str, values))}"


def _new_ad(attributes: str) -> ClassAd:
    found: ClassAd = parse(f"[{attributes}]")
    return found


# --- charts -------------------------------------------------------------------------------------


def axes() -> Iterator[str]:
    """Axes and looks."""
    for hours in (
        0,
        0.1,
        0.5,
        0.75,
        1.5,
        2,
        2.01,
        9,
        9.01,
        18,
        27,
        28,
        54,
        72,
        72.1,
        216,
        217,
        3000,
    ):
        axis, factor = looks_of.time_axis(hours)
        places = " ".join(name for _, name in axis.marks)
        yield f"{hours}: {axis.label} {axis.unit} {axis.first:g} {axis.last:.6g} {factor:.6g}"
        yield f"  {places}"
    for shortest, longest in itertools.product((0, 1, 7, 60, 3600, 90_000), (0, 9, 100, 5000, 3e6)):
        axis = looks_of.wait_axis(shortest, longest)
        places = " ".join(name for _, name in axis.marks)
        yield f"{shortest} {longest}: {axis.label} {axis.first:.6g} {axis.last:.6g}: {places}"
    for most in (
        -1,
        0,
        0.003,
        0.9,
        1,
        1.5,
        2,
        3.99,
        4,
        4.01,
        7,
        9.9,
        10,
        11,
        40,
        41,
        99,
        1234,
        1e7,
    ):
        yield f"{most}: {' '.join(f'{mark:g}' for mark in looks_of.marks_to(most))}"
    for count in (1, 8, 9, 17, 40):
        found = looks_of.looks(f"user{number}" for number in range(count))
        told = (f"{it.place}/{it.texture}{it.colour}" for it in found.values())
        yield f"{count}: {' '.join(told)}"
    yield f"{looks_of.OTHERS.colour} {looks_of.UNUSED.colour} {looks_of.UNUSED.texture}"


def patterns() -> Iterator[str]:
    """What areas and lines of a look are drawn with."""
    for place, texture in [*itertools.product((0, 7), range(9)), (-1, 0), (-2, 1)]:
        look = looks_of.Look(place, texture)
        drawn_with = (plots._hatch(look), plots._dash(look))
        yield f"{place} {texture}: {figures._pattern(look)} {figures._fill(look)} {drawn_with}"


class _Recorder:
    """Stands for something of matplotlib, and writes down what is asked of it."""

    def __init__(self, name: str, calls: list[str]) -> None:
        self._name, self._calls = name, calls

    def __getattr__(self, name: str) -> _Recorder:
        return _Recorder(f"{self._name}.{name}", self._calls)

    def __getitem__(self, key: object) -> _Recorder:
        return _Recorder(f"{self._name}[{key}]", self._calls)

    def __call__(self, *args: Any, **more: Any) -> None:
        words = [*map(_plain, args), *(f"{name}={_plain(value)}" for name, value in more.items())]
        self._calls.append(f"{self._name}({', '.join(words)})")


def _plain(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, str | int | bool | dict) or value is None:
        return repr(value)
    every = [_plain(item) for item in value]
    return f"[{' '.join(every[:12])}{' ...' * (len(every) > 12)}]"


#: Simulations whose charts are told.
_DRAWN: Final = (46, 6, 15, 8)


def pictures() -> Iterator[str]:
    """The charts of simulations, and what is asked of matplotlib for them."""
    runs = []
    for number in _DRAWN:
        with tempfile.TemporaryDirectory() as folder:
            found = course(drawn(number).plan(Path(folder)))
        events = [dict(zip(EVENT_COLUMNS, row, strict=True)) for row in found.events]
        series = [dict(zip(SERIES_COLUMNS, row, strict=True)) for row in found.series]
        run = run_data(events, series, found.summary)
        runs.append((f"policy {number}", run))
        for moment in run.worst:
            yield f"{number}: {moment.text} {moment.hour} {moment.job}"
            yield f"  {' | '.join(moment.answer)}"
    for shown in (runs[1:3], runs[3:]):
        for chart in charts(shown):
            yield f"{chart.name}: {chart.title}; {chart.note}"
            legend = (f"{name}/{it.place}/{it.texture}" for name, it in chart.legend)
            yield f"  {' '.join(legend)}"
            for panel in chart.panels:
                yield f"  {panel.title}; {panel.label}; {panel.kind}; {panel.top:.6g}"
                yield f"  rows {panel.rows}; limits {[_plain(it.y) for it in panel.limits]}"
                for series_ in panel.series:
                    yield f"    {series_.name} {_plain(series_.x)} {_plain(series_.y)}"
                calls: list[str] = []
                pane: Any = _Recorder("pane", calls)
                plots._frame(pane, panel)
                plots._DRAWN[panel.kind](pane, panel)
                plots._time(pane, chart.axis)
                yield from (f"    {call}" for call in calls)
                yield f"    {plots._height(panel):.6g}"


#: Charts that are drawn as others are.
_FIGURES: Final = re.compile(
    r'<figure[^>]* id="(?:queue|shares|priorities)".*?</figure>', re.DOTALL
)
_STYLE: Final = re.compile(r"<(style|script)>.*?</\1>", re.DOTALL)


def page() -> Iterator[str]:
    """The page of a comparison, without its style, its script and the sentences of policies."""
    from pieslice.cli import main

    stream = '[[stream]]\nuser = "{}"\nbacklog = {}\nrun_time = {}\nspread = 0.6\n{}\n'
    streams = (("a<b>", 6, 900, 'group = "g"'), ("b", 5, 300, ""), ("c", 2, 2000, ""))
    files = {
        "w.toml": "".join(stream.format(*each) for each in streams),
        "one": "GROUP_NAMES = g\nGROUP_QUOTA_g = 1\n",
        "two": "GROUP_NAMES = g\nGROUP_QUOTA_g = 2\nPREEMPTION_REQUIREMENTS = True\n"
        "NEGOTIATOR_CONSIDER_EARLY_PREEMPTION = True\n",
    }
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, content in files.items():
            (folder / file).write_text(content, encoding="utf-8")
        words = ["simulate", "2", "--workload", f"{name}/w.toml", "--days", "0.05"]
        compared = ["--compare", f"{name}/one", f"{name}/two", "--seeds", "2"]
        for more in ([*compared, "-o", f"{name}/run"], ["-o", f"{name}/alone", "--series", "1200"]):
            with contextlib.redirect_stdout(io.StringIO()):
                assert main([*words, *more]) == 0
        sides = command._sides([folder / "run/a", folder / "run/b"])
        both = command._page(sides, None, command.Plots())
        alone = command._page(command._sides([folder / "alone"]), "A <title>", command.Plots())
        for whole in (both, alone.partition("<h2>Over time")[0]):
            told = _STYLE.sub(r"<\1/>", whole).replace(name, "DIR")
            told = re.sub(r"pieslice [0-9][\w.]*|pieslice unknown", "pieslice VERSION", told)
            told = re.sub(r"\d+\.\d{7,}", lambda found: f"{float(found[0]):.6g}", told)
            told = _FIGURES.sub("", told)
            yield told.replace("<tr>", "\n<tr>").replace("<figure", "\n<figure")


# --- numbers of seeds ---------------------------------------------------------------------------


def seeds() -> Iterator[str]:
    """Spreads and differences of runs."""
    for number in range(40):
        rng = Random(f"seeds {number}")
        count, base = rng.choice((1, 1, 2, 3, 8, 31)), rng.choice((0.0, 5.0, 1000.0))
        moved = rng.choice((0.0, 0.0, 0.04, 3.0, -3.0))
        left = [None if rng.random() < 0.1 else base + rng.random() for _ in range(count)]
        right = [
            None if it is None or rng.random() < 0.1 else it + moved * (0.8 + 0.4 * rng.random())
            for it in left
        ]
        metric = Metric("key", "title", rng.choice((0, 1, 4)), rng.choice((1, -1, 0)))
        found = spread.compared(metric, left, right)
        values = (found.left, found.right, found.difference, found.margin)
        shown = " ".join("-" if value is None else f"{value:.7g}" for value in values)
        yield f"{count} {metric.digits} {metric.better}: {shown} {found.verdict}"
        one = spread.spread(left)
        if one is not None:
            told = ("-" if value is None else f"{value:.7g}" for value in one.numbers)
            yield f"  {' '.join(told)}"
    for count in (2, 3, 4, 5, 6, 7, 10, 11, 30, 61, 200):
        width = spread.half_width([float(it % 3) for it in range(count)])
        yield f"{count} values: {width:.7g}"


# --- messages -----------------------------------------------------------------------------------


def messages() -> Iterator[str]:
    """Problems with input, as they are shown."""
    for count, kind in itertools.product((0, 1, 19, 20, 21, 25), ("error", "warning", "note")):
        found = [
            Diagnostic(f"file:{number}: " + "words of a message " * (number % 4), severity=kind,
                       lost=("ad", "attribute", "rest", None)[number % 4])
            for number in range(count)
        ]  # fmt: skip
        for show in (output.show_diagnostics, output.say_diagnostics):
            err = io.StringIO()
            show(found, err)
            said = err.getvalue().splitlines()
            yield f"{count} {kind} {show.__name__}: {len(said)} lines"
            yield from (f"  {line}" for line in [*said[:3], *said[-3:]] if count < 2 or count > 18)


# --- options ------------------------------------------------------------------------------------


def options() -> Iterator[str]:
    """Every option of every command."""
    yield from _options(build_parser())


def _options(parser: argparse.ArgumentParser) -> Iterator[str]:
    yield f"{parser.prog}: {' '.join((parser.description or '').split())}"
    for one, other in getattr(parser, "examples", ()):
        yield f"  {one}  # {other}"
    below: list[argparse.ArgumentParser] = []
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            below += action.choices.values()
            continue
        kind = getattr(action.type, "__name__", "")
        facts = (action.nargs, action.const, action.default, action.choices, action.metavar)
        told = " ".join(str(fact) for fact in facts if fact is not None)
        name = " ".join(action.option_strings) or action.dest
        needed = "!" if action.required else ""
        yield f"  {name}{needed} {kind} {told}: {' '.join((action.help or '').split())}"
    for other in below:
        yield from _options(other)


# --- conformance --------------------------------------------------------------------------------

_VECTORS: Final = Path(__file__).parents[1] / "vectors"
#: Cases of a file that are changed, and so often each fact of a kind.
_EACH, _OFTEN = 2, 3
#: Kinds of cases that last over days, and what each of the kernels that there are answers.
_LEFT_OUT: Final = ("priorities over time", "fair share over time", "order of equal elements")


def conformance() -> Iterator[str]:
    """Which field differs if a fact of a recorded case of each kind is changed."""
    done: Counter[tuple[str, str]] = Counter()
    for folder in ("accounting", "classad", "config", "quotas", "sort"):
        for path in sorted((_VECTORS / folder).glob("*.json*")):
            for case in itertools.islice(_cases(path, KINDS), _EACH):
                kind = next(it.name for it in KINDS if it.recognises(case))
                if kind in _LEFT_OUT:
                    continue
                for place in leaves(case):
                    name = ".".join(step for step in place if isinstance(step, str))
                    last = name.rpartition(".")[2]
                    done[kind, last] += 1
                    if done[kind, last] <= _OFTEN:
                        yield f"{kind}, {name}: {_seen(changed(case, place))}"


def _seen(case: Any) -> str:
    try:
        found = check_case(case, KINDS)
    except Exception as problem:
        return type(problem).__name__
    told = dict.fromkeys(it.field for it in found.mismatches)
    return "; ".join(itertools.islice(told, 3)) or ("no difference" if found.passed else "failed")


# --- running pools ------------------------------------------------------------------------------


def _claims(rng: Random, slots: list[str], users: list[str]) -> str:
    ads = []
    for slot in slots:
        kind = rng.randrange(4)
        ad = f'Name = "{slot}"\nScheddName = "{rng.choice("st")}"\n'
        if kind == 1:
            ad += f"_condor_RESOURCE_CLUSTER = {rng.randrange(1, 4)}\n"
            ad += "_condor_RESOURCE_PROC = 0\n"
        elif kind:
            ad += f'RemoteUser = "{rng.choice(users)}"\n'
            ad += f"EnteredCurrentState = {rng.choice((90, 105))}\n"
            ad += f'AccountingGroup = "{rng.choice(users)}"\n' if rng.random() < 0.5 else ""
            ad += 'State = "Unclaimed"\n' if rng.random() < 0.2 else 'State = "Claimed"\n'
        ads.append(ad if kind else "")
    return "\n".join(filter(None, ads))


def _live(rng: Random, cycle: dict[str, Any]) -> LiveCapture:
    """A capture in which something may have changed."""
    slots = ["slot1@a", "slot1_1@a", "slot1@b", "slot1_2@b"]
    there = [slot for slot in slots if rng.random() < 0.85]
    users = ["u@x", "v@x", "g.u@x"]
    parts = {
        "claims": _claims(rng, there, users),
        "slots": "\n".join(
            f'Name = "{slot}"\nState = "{rng.choice(("Unclaimed", "Claimed", "Owner"))}"\n'
            f'Activity = "Idle"\nCpus = {rng.choice((1, 1, 2))}\n'
            f"EnteredCurrentState = {rng.choice((95, 100, 105))}\n"
            f"LastHeardFrom = {rng.choice((99, 100, 101))}\n"
            for slot in there
        ),
        "submitters": "\n".join(
            f'Name = "{user}"\nScheddName = "s"\nIdleJobs = {rng.choice((1, 1, 2))}\n'
            f"RunningJobs = 0\nLastHeardFrom = {rng.choice((99, 100, 101))}\n"
            for user in users
            if rng.random() < 0.8
        ),
        "jobs": "\n".join(
            f'GlobalJobId = "{rng.choice("sst")}#{number}.0#1"\nClusterId = {number}\nProcId = 0\n'
            f'User = "{rng.choice(users[:2])}"\nJobStatus = {rng.choice((1, 1, 2))}\n'
            f"QDate = {rng.choice((90, 100, 101))}\n"
            f"EnteredCurrentStatus = {rng.choice((99, 100, 101))}\n"
            + ('AccountingGroup = "g.u"\n' if rng.random() < 0.3 else "")
            for number in range(1, 5)
            if rng.random() < 0.85
        ),
        "accounting": "\n".join(
            f'Name = "{user}"\nPriorityFactor = {rng.choice((1000.0, 1000.0, 10.0))}\n'
            for user in users
            if rng.random() < 0.8
        ),
    }
    return LiveCapture(parts, "", {"ended": rng.choice((95.0, 99.25)), "cycle": cycle})


def shadows() -> Iterator[str]:
    """Predicted cycles and what two captures show of them."""
    outcomes = []
    for number in range(60):
        rng = Random(f"shadow {number}")
        cycle: dict[str, Any] = {"time": 100}
        if rng.random() < 0.7:
            cycle |= {"matches": rng.randrange(4), "rejections": rng.randrange(3)}
        slots, users = ("slot1@a", "slot1_1@a", "slot1@b"), ("u@x", "v@x", "g.u@x")
        matches = [
            SimpleNamespace(submitter=rng.choice(users), slot=slot, schedd="s")
            for slot in slots[: number % 4]
        ]
        predicted: Any = SimpleNamespace(matches=matches, rejections=[0] * rng.randrange(3))
        before, after = _live(Random(f"before {number // 2}"), cycle), _live(rng, cycle)
        found = outcome.compare(before, before if number % 5 == 0 else after, predicted)
        outcomes.append(found)
        yield f"{number}: {report.cycle_line(found)}"
        yield f"  {found.time} {found.age} {found.seen} {found.agreeing}"
        yield layout.render_plain(report.differences(found), 70).rstrip()
        assert outcome.outcome_of(found.data()) == found
    for shown in ([], outcomes[:3], outcomes):
        score = report.Score('p"<o>\\l', outcome.total(shown), shown[-4:])
        yield f"{score.summary()}\n{score}{report.prometheus(score)}{report.page(score)}"


_SECRET: Final = {
    "slots": 'Name = "slot1_2@big.site.org"\nMachine = "big.site.org"\n'
    'MyAddress = "<192.0.2.7:96>"\n'
    'RemoteUser = "g.h.ann@users.org"\nStart = Owner == "ann" || regexp("bob", Owner)\n'
    'Dir = "/home/ann/data and /usr"\nV6 = "[2001:db8::1]:9618"\nOpSys = "LINUX"\n',
    "jobs": 'User = "bob@users.org"\nOwner = "bob"\nRemoteHost = "slot1@small.site.org"\n'
    'Cmd = "/home/bob/run.sh"\nArgs = "big small.site.org 192.0.2.7 condor"\nOwnerX = "root"\n',
    "submitters": 'Name = "g.ann@users.org"\nScheddName = "sched.site.org"\n',
    "accounting": 'Name = "g"\n\nName = "g.h"\n\nName = "g.h.ann@users.org"\n\nName = "cid@else"\n',
}


def masks() -> Iterator[str]:
    """A capture under other names."""
    config = '# of ann on big\nSTART = Owner == "bob"\nC = Machine == "big.site.org"\n'
    manifest: dict[str, Any] = {
        "pool": "big.site.org:9618", "missing": ["the ads of ann: big.site.org is gone"],
        "versions": {"small.site.org": "25.14"}, "ended": 5,
    }  # fmt: skip
    found = anonymous(LiveCapture(dict(_SECRET), config, manifest))
    for name, part in found.parts.items():
        yield f"-- {name}\n{part}"
    yield f"{found.config}{found.manifest}"


# --- the front door -----------------------------------------------------------------------------


def signatures() -> Iterator[str]:
    """What ``import pieslice`` gives: functions, and the methods of its classes."""
    for name in sorted(pieslice.__all__):
        thing = getattr(pieslice, name)
        if inspect.isfunction(thing):
            yield f"{name}{_signature(thing)}"
        elif inspect.isclass(thing):
            for method, found in sorted(vars(thing).items()):
                if inspect.isfunction(found) and not method.startswith("_"):
                    yield f"{name}.{method}{_signature(found)}"
                elif isinstance(found, property):
                    yield f"{name}.{method}: {(found.__doc__ or '').splitlines()[:1]}"


def _signature(function: Callable[..., object]) -> str:
    parameters = inspect.signature(function).parameters.values()
    return str(inspect.Signature([it.replace(annotation=it.empty) for it in parameters]))


SECTIONS: Final[tuple[Callable[[], Iterator[str]], ...]] = (
    tables, lines, shortened, numbers, leaving, axes, patterns, pictures, page, seeds, messages,
    options, conformance, shadows, masks, signatures,
)  # fmt: skip


def section(make: Callable[[], Iterator[str]]) -> str:
    """A section as it is kept."""
    body = "\n".join(make()).replace("\x1b", "ESC")
    return f"==> {make.__name__}\n{body}\n"


def kept() -> dict[str, str]:
    """The sections that are kept, by name."""
    parts = KEPT.read_text(encoding="utf-8").removesuffix("\n")[4:].split("\n==> ")
    return {part.partition("\n")[0]: f"==> {part}\n" for part in parts}


if __name__ == "__main__":
    KEPT.write_text("".join(map(section, SECTIONS)), encoding="utf-8")
