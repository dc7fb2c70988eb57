"""Parts of ``pieslice userprio`` by themselves: columns, numbers at the edge of a width, orders,
leases, records of which attributes are missing.

``test_userprio.py`` has the recorded tables and the command.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

import pieslice
from classad import ClassAd
from classad.files.log import TransactionLog
from negotiator.accounting.accountant import accountant_settings
from negotiator.groups.tree import group_tree
from negotiator.model.snapshot import AccountantState, Customer
from pieslice.priorities.edits import EditRefused, make_edit
from pieslice.priorities.options import UsageError, _find, parse_options
from pieslice.priorities.report import AccountingSource, answer
from pieslice.priorities.rows import Row, join_numbered, rows_of
from pieslice.priorities.stateads import rolled_up, state_ads, terms_of
from pieslice.priorities.table import StateView, by_the_clock, is_active, render
from pieslice.priorities.words import OPTIONS
from policy.load import policy_from_knobs

NOW = 1_000_000
VIEW = StateView(NOW, time.gmtime)
EVERY = ["-all", "-usage", "-groupid", "-order", "-sortkey"]

# --- columns --------------------------------------------------------------------------------------

#: The columns of condor_userprio in their order: title, width, decimals of a number (None: a text).
COLUMNS: list[tuple[str, int, int | None, str, float]] = [
    ("Group Id", 5, None, "", 0),
    ("Group Order", 9, None, "", 0),
    ("Group Sort Key", 9, 2, "sort_key", 1),
    ("Effective Quota", 9, 2, "effective_quota", 1),
    ("Config Quota", 9, 2, "quota", 1),
    ("Use Surplus", 7, None, "", 0),
    ("Subtree Quota", 9, 2, "subtree_quota", 1),
    ("Effective Priority", 12, 2, "priority", 1),
    ("Real Priority", 8, 2, "priority", 1),
    ("Priority Factor", 9, 2, "factor", 1),
    ("Wghted In Use", 6, 0, "in_use", 1),
    ("Total Usage (wghted-hrs)", 12, 2, "usage", 3600),
    ("Usage Start Time", 16, None, "", 0),
    ("Last Usage Time", 16, None, "", 0),
    ("Time Since Last Usage", 10, None, "", 0),
    ("Weighted Requested", 10, 0, "requested", 1),
    ("Submitter Floor", 9, 2, "floor", 1),
    ("Submitter Ceiling", 9, 2, "ceiling", 1),
]
OF_GROUPS = {"sort_key", "effective_quota", "quota", "subtree_quota", "requested"}


def cut(lines: list[str]) -> list[list[str]]:
    """The cells of each line, by the dashes; the name comes first."""
    (dashes, *_) = (line for line in lines if line.startswith("--"))
    places, start = [], 0
    for part in dashes.split(" "):
        places.append(slice(start, start + len(part)))
        start += len(part) + 1
    return [[line[place] for place in places] for line in lines]


def shown(rows: list[Row], *words: str, view: StateView = VIEW) -> dict[str, dict[str, str]]:
    """What stands in the columns of each record, and in those of the totals."""
    lines = cut(render(rows, parse_options(list(words)), view).splitlines())
    titles = [f"{a.strip()} {b.strip()}".strip() for a, b in zip(lines[1], lines[2], strict=True)]
    return {
        line[0].strip(): dict(zip(titles[1:], line[1:], strict=True))
        for line in lines[4:]
        if not line[0].startswith("--")
    }


def pair(**values: Any) -> list[Row]:
    """A group and its user with the same values."""
    given = {"begin": 1, "last": 1, **values}
    return [Row("g", "g", True, **given), Row("g.a@x", "g", False, **given)]


def test_the_columns_are_those_of_the_tool() -> None:
    lines = cut(render(pair(factor=1), parse_options(EVERY), VIEW).splitlines())
    titles = [f"{a.strip()} {b.strip()}" for a, b in zip(lines[1][1:], lines[2][1:], strict=True)]
    assert titles == [title for title, *_ in COLUMNS]
    assert [len(cell) for cell in lines[3][1:]] == [width for _, width, *_ in COLUMNS]
    # Half of what is left of a width stands before a title, rounded down.
    assert lines[1][1:4] == ["Group", "  Group  ", "  Group  "]
    assert lines[2][1:4] == [" Id  ", "  Order  ", "Sort Key "]


@pytest.mark.parametrize(
    ("title", "width", "decimals", "attribute", "unit"),
    [column for column in COLUMNS if column[2] is not None],
)
def test_a_number_that_just_fits_its_column_and_one_that_does_not(
    title: str, width: int, decimals: int, attribute: str, unit: float
) -> None:
    whole = width - (decimals + 1 if decimals else 0)
    # 12345.25 and 123456.25, as it were.
    fits, wide = (
        float("123456789012345"[:n]) + (0.25 if decimals else 0) for n in (whole, whole + 1)
    )
    for value, text in (
        (fits, f"{fits:.{decimals}f}"),
        (wide, f"{wide:.{width - 6}g}"),
        (0.125, "0.12" if decimals else "0"),
    ):
        given = {"factor": 1.0, attribute: value * unit}
        found = shown(pair(**given), *EVERY)
        record = found["g" if attribute in OF_GROUPS else "a@x"]
        assert record[title] == text.rjust(width)
    if attribute in OF_GROUPS:
        assert found["a@x"][title].strip() == ""


def test_cells_of_groups_and_of_users() -> None:
    values = {"priority": 6.0, "factor": 4.0, "floor": 2.0, "ceiling": 3.0, "usage": 5400.0}
    found = shown(pair(**values, surplus="byquota"), *EVERY)
    titles = ("Effective Priority", "Real Priority", "Priority Factor", "Submitter Floor",
              "Submitter Ceiling", "Total Usage (wghted-hrs)", "Use Surplus", "Group Id",
              "Group Order")  # fmt: skip
    told = {name: [found[name][title].strip() for title in titles] for name in ("g", "a@x")}
    assert told == {
        "g": ["", "1.50", "4.00", "", "", "1.50", "ByQuota", "1", "0.00"],
        "a@x": ["6.00", "1.50", "4.00", "2.00", "3.00", "1.50", "", "1", "0.00"],
    }
    none = shown(pair(ceiling=0.0, surplus="other"), *EVERY)
    told = {name: [none[name][title].strip() for title in titles] for name in ("g", "a@x")}
    assert told == {
        "g": ["", "", "", "", "", "0.00", "n/a", "1", "0.00"],
        "a@x": ["0.00", "", "", "", "0.00", "0.00", "", "1", "0.00"],
    }
    low = shown(pair(ceiling=-0.5, floor=-1.0, factor=-1.0), *EVERY)["a@x"]
    assert [low[title].strip() for title in titles[1:5]] == ["", "", "", ""]


@pytest.mark.parametrize(
    ("key", "text"),
    [(3.4e38, "3.4e+38"), (3.40282e38, "3.4e+38"), (3.40282001e38, "<last>"), (1e39, "<last>"),
     (2.5, "2.50")],
)  # fmt: skip
def test_a_key_behind_all_others_is_told_in_words(key: float, text: str) -> None:
    found = shown(pair(sort_key=key), *EVERY)["g"]
    assert (found["Group Sort Key"].strip(), found["Group Order"].strip()) == (text, text)


def test_moments() -> None:
    """Times below 1 are none; those beyond the calendar are its last."""
    titles = ("Usage Start Time", "Last Usage Time", "Time Since Last Usage")
    for moment, text, ago in (
        (1, "01/01/1970 00:00", "11+13:46"),
        (0, "", "11+13:46"),
        (-1, "", "11+13:46"),
        (NOW + 1, "01/12/1970 13:46", "<now>"),
    ):
        found = shown(pair(begin=moment, last=moment), *EVERY)["a@x"]
        assert [found[title].strip() for title in titles] == [text, text, ago]
    assert by_the_clock(-(10**15), time.gmtime)[:3] == (1, 1, 2)
    assert by_the_clock(10**15, time.gmtime)[:3] == (9999, 12, 31)


def test_columns_without_data_are_left_out() -> None:
    for row, there in (
        (Row("a@x", "<none>", False, begin=1), [True, False, False]),
        (Row("a@x", "<none>", False, last=1), [False, True, True]),
    ):
        found = shown([row], "-all", "-usage")["a@x"]
        titles = ("Usage Start Time", "Last Usage Time", "Time Since Last Usage")
        assert [title in found for title in titles] == there


def test_the_totals_are_those_of_users_that_show() -> None:
    rows = [
        Row("<none>", "<none>", True, in_use=100.0, usage=7200.0, last=5, surplus="regroup"),
        *(Row(f"g.{n}@x", "g", False, in_use=2.0, usage=5400.0, last=n) for n in (4, 5, 6)),
    ]
    found = shown(rows, *EVERY, view=StateView(90_065, time.gmtime, active_from=5))
    totals = found["Number of users: 2"]
    assert {title: cell.strip() for title, cell in totals.items() if cell.strip()} == {
        "Use Surplus": "Regroup", "Wghted In Use": "4", "Total Usage (wghted-hrs)": "3.00",
        "Last Usage Time": "01/01/1970 00:00", "Time Since Last Usage": "1+01:01",
    }  # fmt: skip
    everybody = shown(rows, *EVERY)["Number of users: 3"]
    assert (everybody["Last Usage Time"].strip(), everybody["Time Since Last Usage"].strip()) == (
        "", "",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("last", "since", "active"),
    [(None, None, True), (0, 0, False), (0, -1, True), (None, -1, True), (None, 0, False),
     (5, 5, True), (4, 5, False)],
)  # fmt: skip
def test_who_is_active(last: int | None, since: int | None, active: bool) -> None:
    """A last usage of 0 counts as -1."""
    assert is_active(Row("a@x", "<none>", False, last=last), since) is active


def name_width(*rows: Row, words: tuple[str, ...] = ("-most",)) -> int:
    lines = render(list(rows), parse_options(list(words)), VIEW).splitlines()
    return next(len(line.split(" ")[0]) for line in lines if line.startswith("--"))


def test_the_room_of_names() -> None:
    def user(length: int, group: str = "<none>") -> Row:
        return Row("u" * (length - 2) + "@x", group, False, last=1)

    # "Number of users: 1" has 18 characters.
    assert [name_width(user(n)) for n in (5, 18, 19, 99, 100)] == [18, 18, 19, 99, 99]
    # In a hierarchy two more; the prefix of the group leaves its length, but not that of the dot.
    group = Row("g" * 10, "g" * 10, True, last=1)
    for length, width in ((28, 22), (29, 23), (108, 101), (109, 101), (107, 101), (106, 100)):
        assert name_width(group, user(length, group.name)) == width
    root = Row("<none>", "<none>", True, last=1)
    assert name_width(root, group, user(25), user(20, group.name)) == 29


# --- order ----------------------------------------------------------------------------------------


def names(rows: list[Row], *words: str) -> list[str]:
    lines = render(rows, parse_options(list(words)), VIEW).splitlines()
    bars = [number for number, line in enumerate(lines) if line.startswith("--")]
    return [line.split()[0] for line in lines[bars[0] + 1 : bars[1]]]


def pool(surplus: str = "no") -> list[Row]:
    """Two groups and the root, by three measures in three orders."""
    made = []
    for name, key, usage in (("<none>", 2.0, 3.0), ("g", 3.0, 1.0), ("h", 1.0, 2.0)):
        made.append(
            Row(name, name, True, priority=9.0, sort_key=key, usage=usage, surplus=surplus, last=1)
        )
    for name, group, priority, usage in (
        ("b@x", "<none>", 4.0, 1.0), ("a@x", "<none>", 5.0, 0.5), ("g.d@x", "g", 1.0, 9.0),
        ("g.c@x", "g", 2.0, 8.0), ("h.e@x", "h", 3.0, 7.0),
    ):  # fmt: skip
        made.append(Row(name, group, False, priority=priority, usage=usage, last=1))
    return made


@pytest.mark.parametrize(
    ("words", "order"),
    [
        ("-most", "h e@x <none> b@x a@x g d@x c@x"),
        ("-usage", "g c@x d@x h e@x <none> a@x b@x"),
        ("-quotas", "<none> g h"),
        ("-usage -flat", "a@x g b@x h <none> h.e@x g.c@x g.d@x"),
        ("-most -flat", "g.d@x g.c@x h.e@x b@x a@x g h <none>"),
        ("-most -grouporder", "<none> g h g.d@x g.c@x h.e@x b@x a@x"),
        ("-priority", "g.d@x g.c@x h.e@x b@x a@x"),
        ("-priority -hierarchical", "h e@x <none> b@x a@x g d@x c@x"),
    ],
)
def test_the_order_of_records(words: str, order: str) -> None:
    assert names(pool(), *words.split()) == order.split()


def test_the_root_is_last_only_if_the_pool_regroups() -> None:
    assert names(pool("regroup"), "-most")[-3:] == ["<none>", "b@x", "a@x"]
    assert names(pool("byquota"), "-most")[2] == "<none>"


# --- changes --------------------------------------------------------------------------------------


def log_of(**attributes: str) -> TransactionLog:
    log = TransactionLog()
    log.table["Customer.a@x"] = attributes
    return log


def edited(log: TransactionLog, option: str, *words: str, **more: Any) -> tuple[list[str], str]:
    edit = make_edit(log, option, ("a@x", *words), now=500, **more)
    lines = [record.line().removesuffix("\n") for record in edit.records]
    return [line.replace("Customer.a@x ", "") for line in lines], edit.said


LIMITS = [
    ("ceiling", "Ceiling", "ceiling", "-1"),
    ("floor", "Floor", "floor", "0"),
    ("factor", "PriorityFactor", "priority-factor", "1.000000"),
]


@pytest.mark.parametrize(("kind", "attribute", "name", "default"), LIMITS)
def test_a_lease_keeps_what_was_before_and_its_end_gives_it_back(
    kind: str, attribute: str, name: str, default: str
) -> None:
    set_to = "7.000000" if kind == "factor" else "7"
    for before, kept in (({}, default), ({attribute: "3"}, "3")):
        records, said = edited(log_of(**before), f"set{kind}", "7", duration=1)
        assert records == [
            f"103 {attribute}PreLeaseValue {kept}",
            f"103 {attribute}LeaseExpiration 501",
            f"103 {attribute} {set_to}",
        ]
        assert said == f"Set {name} lease on a@x to {set_to} for 1 seconds"
    for before, kept in (({}, default), ({f"{attribute}PreLeaseValue": "4"}, "4")):
        log = log_of(**{attribute: "7", f"{attribute}LeaseExpiration": "1", **before})
        records, said = edited(log, f"cancel{kind}lease")
        assert records == [f"103 {attribute} {kept}", f"103 {attribute}LeaseExpiration 0"]
        assert said == f"Cancelled {name} lease for a@x"
    for ended in ({}, {f"{attribute}LeaseExpiration": "0"}, {f"{attribute}LeaseExpiration": "x"}):
        with pytest.raises(EditRefused, match=f"a@x has no {name} lease to cancel"):
            edited(log_of(**ended), f"cancel{kind}lease")
    assert edited(log_of(**{f"{attribute}LeaseExpiration": "500"}), f"set{kind}", "7", duration=9)
    with pytest.raises(EditRefused) as problem:
        edited(log_of(**{f"{attribute}LeaseExpiration": "501"}), f"set{kind}", "7", duration=9)
    assert str(problem.value) == (
        f"negotiator rejected {name} lease: {name} lease for a@x is already in effect"
        " (expires at 501)"
    )


def test_what_changes_write() -> None:
    log = log_of(Priority="2.0")
    for option, words, records in (
        ("setprio", ["0.25"], ["103 Priority 0.250000"]),
        ("setfactor", ["1"], ["103 PriorityFactor 1.000000"]),
        ("setfloor", ["0"], ["103 Floor 0"]),
        ("setceiling", ["-1"], ["103 Ceiling -1"]),
        ("setaccum", ["0"], ["103 WeightedAccumulatedUsage 0.000000"]),
        ("setbegin", ["-5"], ["103 BeginUsageTime -5"]),
        ("setlast", ["0"], ["103 LastUsageTime 0"]),
        ("delete", [], ["102 Customer.a@x"]),
        (
            "resetusage", [],
            ["103 AccumulatedUsage 0.000000", "103 WeightedAccumulatedUsage 0.000000",
             "103 BeginUsageTime 500"],
        ),
    ):  # fmt: skip
        assert edited(log, option, *words)[0] == records
    assert edited(TransactionLog(), "setfloor", "2")[0] == ["101 * *", "103 Floor 2"]
    assert edited(TransactionLog(), "delete")[0] == []
    with pytest.raises(UsageError):
        make_edit(log, "delete", ("a",), now=500)


def test_a_reset_of_all_leaves_other_records_alone() -> None:
    log = log_of(Priority="2.0")
    log.table |= {"Accountant.": {}, "Customer.b@x": {}, "Resource.s@m": {}}
    found = make_edit(log, "resetall", (), now=500)
    assert [record.words[0] for record in found.records] == ["Customer.a@x"] * 3 + [
        "Customer.b@x"
    ] * 3


# --- records --------------------------------------------------------------------------------------


def test_a_record_of_an_ad() -> None:
    every = (
        "Priority = 2; PriorityFactor = 3; ConfigQuota = 4; EffectiveQuota = 5; SubtreeQuota = 6;"
        ' GroupSortKey = 7; SurplusPolicy = "no"; Requested = 8; WeightedResourcesUsed = 9;'
        " WeightedAccumulatedUsage = 10; BeginUsageTime = 11.9; LastUsageTime = 12; Floor = 13;"
        " Ceiling = 14; ResourcesUsed = 90; AccumulatedUsage = 100"
    )
    ads = [
        ClassAd(f"[{text}]")
        for text in (
            f'Name = "g"; {every}',
            'Name = "a@x"; AccountingGroup = "g"; ResourcesUsed = 1; AccumulatedUsage = 2',
            'Name = "b@x"; IsAccountingGroup = true; AccountingGroup = "h"; SubmittorId = 1',
            'Name = "c"; IsAccountingGroup = false; Priority = true; Ceiling = "x"; Floor = 1/0',
            "Priority = 5",
        )
    ]
    assert rows_of(ads) == [
        Row("g", "g", True, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, "no", 8.0, 9.0, 10.0, 11, 12, 13.0, 14.0),
        Row("a@x", "g", False, in_use=1.0, usage=2.0),
        Row("b@x", "b@x", True, usage=-1.0),
        Row("c", "<none>", False),
    ]
    assert [Row("a", "", False, priority=6.0, factor=f).real_priority for f in (0.0, 0.5, 4.0)] == [
        None, 12.0, 1.5,
    ]  # fmt: skip


def test_ads_in_one() -> None:
    ads = [ClassAd('[Name = "a"; LastUpdate = 5; SubmittorId = 9]'), ClassAd('[Name = "b"; K = 1]')]
    joined = join_numbered(ads, 7)
    assert {name: joined.raw(name) for name in joined.names()} == {
        "LastUpdate": 7, "Name1": "a", "Name2": "b", "K2": 1, "NumSubmittors": 2,
    }  # fmt: skip
    assert join_numbered([], 7).raw("NumSubmittors") == 0


POLICY = policy_from_knobs(
    {"GROUP_NAMES": "g, g.h, k", "GROUP_QUOTA_g": "5", "GROUP_QUOTA_g.h": "2",
     "GROUP_ACCEPT_SURPLUS_k": "True", "GROUP_AUTOREGROUP_g": "True"}
).policy  # fmt: skip


def test_the_ads_of_the_accountant_s_records() -> None:
    """Priorities begin at 0.5, ceilings at -1, floors at 0; times of 0 are none."""
    tree, settings = group_tree(POLICY), accountant_settings(POLICY)
    low = Customer("a@x", 0.25, 2.0, ceiling=-7, floor=-7, begin_usage_time=0, last_usage_time=0)
    high = Customer(
        "g.b@x", 8.0, 3.0, ceiling=0, floor=1, begin_usage_time=4, last_usage_time=5,
        accumulated_usage=6.0, weighted_accumulated_usage=0.0,
    )  # fmt: skip
    none = Customer("c@x", None, 1.0, accumulated_usage=6.0)
    state = AccountantState({it.name: it for it in (low, high, none)}, last_update_time=77)
    ads = state_ads(state, tree, settings, {})
    names = (
        "Priority", "PriorityFactor", "Ceiling", "Floor", "BeginUsageTime", "LastUsageTime",
        "WeightedAccumulatedUsage", "AccountingGroup", "IsAccountingGroup", "LastUpdate",
    )  # fmt: skip
    assert [[ad.raw(name) for name in names] for ad in ads] == [
        [1.0, 2.0, -1, 0, None, None, 0.0, "<none>", False, 77],
        [24.0, 3.0, 0, 1, 4, 5, 0.0, "g", False, 77],
        [0.5, 1.0, -1, 0, None, None, 6.0, "<none>", False, 77],
    ]
    assert terms_of(Customer("a@x", 0.5, 1.0), tree, settings) == (0.5, 1.0)
    assert state_ads(AccountantState({"a@x": low}), tree, settings, {})[0].raw("LastUpdate") == 0


def test_what_the_configuration_tells_of_groups() -> None:
    tree, settings = group_tree(POLICY), accountant_settings(POLICY)
    state = AccountantState({n: Customer(n, 1.0, 1.0) for n in ("<none>", "g", "g.h", "k")})
    found = {
        str(ad.raw("Name")): [ad.raw(n) for n in ("ConfigQuota", "SurplusPolicy", "GroupSortKey")]
        for ad in state_ads(state, tree, settings, {})
    }
    assert found == {
        "<none>": [0.0, "regroup", 3.4e38], "g": [5.0, "regroup", 0.0], "g.h": [2.0, "no", 0.0],
        "k": [0.0, "byquota", 0.0],
    }  # fmt: skip


def test_sums_of_groups() -> None:
    """Each group has its own and those of the groups below it, the root has all."""
    tree = group_tree(POLICY)
    ads = [
        ClassAd(
            f'[Name = "{name}"; Priority = 5.0; AccumulatedUsage = {n}.0; ResourcesUsed = {n};'
            f" WeightedAccumulatedUsage = {2 * n}.0; WeightedResourcesUsed = {3 * n}.0;"
            f" BeginUsageTime = {n}; LastUsageTime = {n}]"
        )
        for n, name in ((1, "<none>"), (2, "g"), (4, "g.h"), (8, "k"), (16, "g.a@x"), (3, "gh"))
    ]
    found = {
        str(ad.raw("Name")): [ad.raw(name) for name in (
            "AccumulatedUsage", "ResourcesUsed", "WeightedAccumulatedUsage",
            "WeightedResourcesUsed", "BeginUsageTime", "LastUsageTime", "Priority",
        )]
        for ad in rolled_up(ads, tree)
    }  # fmt: skip
    assert list(found) == ["<none>", "g", "k", "g.h", "g.a@x"]
    assert found == {
        "<none>": [15.0, 15, 30.0, 45.0, 1, 8, 0.0], "g": [6.0, 6, 12.0, 18.0, 2, 4, 0.0],
        "g.h": [4.0, 4, 8.0, 12.0, 4, 4, 0.0], "k": [8.0, 8, 16.0, 24.0, 8, 8, 0.0],
        "g.a@x": [16.0, 16, 32.0, 48.0, 16, 16, 5.0],
    }  # fmt: skip


# --- options --------------------------------------------------------------------------------------

#: What a word means, and all longer ones up to the next; `-`: nothing.
ABBREVIATED = """
a=all ac=activefrom af=af allu=allusers au=- autof=autoformat c=cancelceilinglease
cancelf=cancelfloorlease cancelfa=cancelfactorlease co=constraint col=collector d=duration de=debug
del=delete f=- fl=flat g=grouprollup ge=- getres=getreslist groupi=groupid groupo=grouporder h=heir
hi=hierarchical i=- in=inputfile j=- json=json l=long le=- leg=legacy m=- mo=most mod=modular n=name
ne=- neg=negotiator o=order p=pool pr=- prio=priority q=quotas r=resetusage reseta=resetall
s=setprio seta=setaccum setb=setbegin setc=setceiling setf=setfactor setfl=setfloor setl=setlast
so=sortkey su=surplus u=- us=usage
"""


def test_options_may_be_shortened_as_far_as_the_tool_takes_them() -> None:
    """In the order of the tool's own questions, with the letters that it needs of each."""
    means = dict(pair.split("=") for pair in ABBREVIATED.split())
    for word in {option.word for option in OPTIONS}:
        for length in range(1, len(word) + 1):
            short = word[:length]
            wanted = means[next(short[:n] for n in range(length, 0, -1) if short[:n] in means)]
            found = _find(f"-{short}")
            assert ("-" if found is None else found.word) == wanted, short
            whole = _find(f"--{short}")
            assert (whole is not None) == (short in {option.word for option in OPTIONS})
    for word in ("ax", "setprios", "-", "", "all-"):
        assert _find(f"-{word}") is None


@pytest.mark.parametrize(
    ("words", "text"),
    [("-long", ""), ("-long -grouprollup", "NumSubmittors = 0\n"), ("-modular", ""),
     ("-json", "[\n\n]\n"), ("-all", "")],
)  # fmt: skip
def test_no_record_at_all(words: str, text: str) -> None:
    said = answer(AccountingSource((), 0), parse_options(words.split()), VIEW)
    assert said.replace("LastUpdate = 0\n", "") == text


def test_the_newest_update_of_all_records_counts() -> None:
    ads = [ClassAd({"Name": str(time), "LastUpdate": time}) for time in (7, 9, 8)]
    assert (
        AccountingSource.of(
            [*ads, ClassAd({"Name": "none"}), ClassAd({"LastUpdate": "x"})]
        ).last_update
        == 9
    )
    assert AccountingSource.of([ClassAd({"Name": "none"})]).last_update == 0


def test_a_log_tells_its_own_last_update(tmp_path: Path) -> None:
    log = tmp_path / "Accountantnew.log"
    lines = ["101 Customer.a@x * *", "103 Customer.a@x Priority 5.0"]
    for told, last in (
        ([], 0),
        (["101 Accountant. * *", "103 Accountant. LastUpdateTime 1700000000"], 1_700_000_000),
    ):
        log.write_text("\n".join([*told, *lines, ""]))
        assert pieslice.userprio(log).data()["last_update"] == last
