"""Draws configurations for Hypothesis: texts with macros, and trees of accounting groups.

They are weighted towards the traps of the language: macros of themselves, circles, defaults in
references, function macros, continued lines, comments within values, conditions, prefixed names, a
group without its parent or with both kinds of quota.  Needs the extra ``fuzz`` (Hypothesis).
Names of knobs and of attributes come from their declarations, so that a new one is drawn, too.
Outputs: strategies of texts, and of knobs as ``policy_from_knobs`` takes them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from classad.extras import load
from policy.ephemeral import EPHEMERAL, AdKind, Ephemeral, Presence
from policy.knobs import KNOBS, shares
from policy.knobs.declaration import KnobKind, Need

if TYPE_CHECKING:
    import hypothesis.strategies as st
else:
    st = load("hypothesis.strategies")

__all__ = [
    "configurations",
    "fractions",
    "group_trees",
    "match_conditions",
    "match_numbers",
    "quotas",
    "switches",
    "values",
]  # fmt: skip

#: Macros that invented texts set and refer to; two of them differ in case only.
MACROS: Final = ("A", "B", "C", "a", "NEGOTIATOR.A", "LONG_NAME")
#: Knobs for all groups and what they are set to; most trees share their surplus.
_FOR_ALL: Final = {
    shares.GROUP_ACCEPT_SURPLUS: ("True", "True", "False", ""),
    shares.NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION: ("False", "True", ""),
}
#: When the negotiator adds attributes that any expression about a match may look at.
_OF_MATCHES: Final = (
    *(Presence.ALWAYS, Presence.GROUPS, Presence.PREEMPTION, Presence.PREEMPTION_GROUPS),
)
GROUPS: Final = ("a", "b", "a.x", "a.y", "a.x.q", "c", "b.z", "A.X", "d.lost")

_WORDS: Final = (
    "", "1", "0", "x", "true", "-7", "1.5", "a b", "a, b", "#c", "\\", '"q"', "$", "$(", "$()",
    "$$(A)", "$(DOLLAR)", "()", ":", "$INT(", "a=b", "'", "%d", "if", "100%",
)  # fmt: skip
_FORMS: Final = (
    "$({})", "$({}:{})", "$INT({})", "$REAL({},%.2f)", "$STRING({})", "$EVAL({})", "$SUBSTR({},1)",
    "$CHOICE(0,{},z)", "$BASENAME({})", "$Fpn({})", "$ENV({})", "$ENV({}:{})", "$F({})",
)  # fmt: skip
_LINES: Final = (
    "if defined {}", "if $({})", "if version >= 8.9", "elif true", "else", "endif", "# {}", "",
    "use ROLE : Personal", "use FEATURE : {}", "include ifexist : {}", "error : {}", "warning : {}",
    "{} @=end\n  $({})\n@end", "{} = \\\n  y", "{} = z \\\n# c\n  y", "{} : 1", "{}", "= {}",
)  # fmt: skip


@st.composite
def values(draw: st.DrawFn) -> str:
    """Texts of values: words and references, which may be nested."""
    parts = draw(st.lists(st.sampled_from(_WORDS) | _references(), max_size=4))
    separator: str = draw(st.sampled_from(["", "", " "]))
    return separator.join(parts)


@st.composite
def _references(draw: st.DrawFn) -> str:
    form: str = draw(st.sampled_from(_FORMS))
    name: str = draw(st.sampled_from(MACROS) | st.just("$(A)"))
    return form.format(name, draw(st.sampled_from(["", "d", "$(B)"])))


@st.composite
def configurations(draw: st.DrawFn) -> str:
    """Texts of configurations, sound and otherwise."""
    lines = []
    for _ in range(draw(st.integers(0, 9))):
        name = draw(st.sampled_from(MACROS))
        if draw(st.integers(0, 3)) == 3:
            lines.append(draw(st.sampled_from(_LINES)).format(name, name))
        else:
            lines.append(f"{name} = {draw(values())}")
    return "\n".join(lines) + "\n"


def quotas() -> st.SearchStrategy[float]:
    """Quotas in slot weights: none, fractions of a slot, whole ones, more than any pool."""
    edges = [1.0, 0.0, 2.0, 0.5, 0.9, 1.0 / 3.0, 7.4, 100.0, 2147483647.0]
    return st.sampled_from(edges) | st.integers(0, 40).map(lambda n: n / 4)


def fractions() -> st.SearchStrategy[float]:
    """Dynamic quotas, sums above one included."""
    return st.sampled_from([1.0, 0.5, 0.25, 0.33, 1.0 / 3.0, 0.75, 0.1, 1e-6, 0.0])


def _with_parents(name: str) -> list[str]:
    parts = name.split(".")
    return [".".join(parts[:count]) for count in range(1, len(parts) + 1)]


@st.composite
def group_trees(draw: st.DrawFn, max_size: int = 6) -> dict[str, str]:
    """The knobs of a tree of groups; empty without groups."""
    least = min(max_size, draw(st.sampled_from([1, 2, 3, 4, 0])))
    some = st.lists(st.sampled_from(GROUPS), min_size=least, max_size=max_size, unique=True)
    names = draw(some)
    if draw(st.integers(0, 9)) < 9:  # groups without a parent are dropped, which is no tree at all
        names = list(dict.fromkeys(part for name in names for part in _with_parents(name)))
    if not names:
        return {}
    knobs = {shares.GROUP_NAMES.name: ", ".join(names)}
    for name in names:
        kind = draw(st.sampled_from(["static", "dynamic", "static", "dynamic", "both", "none"]))
        if kind in ("static", "both"):
            knobs[shares.GROUP_QUOTA.of(name)] = repr(draw(quotas()))
        if kind in ("dynamic", "both"):
            knobs[shares.GROUP_QUOTA_DYNAMIC.of(name)] = repr(draw(fractions()))
        for family in (shares.GROUP_ACCEPT_SURPLUS_OF, shares.GROUP_AUTOREGROUP_OF):
            if draw(st.integers(0, 2)) == 2:
                knobs[family.of(name)] = str(draw(st.booleans()))
    for knob, settings in _FOR_ALL.items():
        setting = draw(st.sampled_from(settings))
        if setting:
            knobs[knob.name] = setting
    return knobs


def switches() -> dict[str, tuple[str, ...]]:
    """The booleans that a cycle acts on, by name, with what they may be set to."""
    groups = {knob.name for knob in _FOR_ALL}
    return {
        knob.name: ("True", "False")
        for knob in KNOBS.values()
        if knob.kind is KnobKind.BOOL
        and knob.honoured
        and knob.need is not Need.IRRELEVANT
        and knob.name not in groups
    }


def match_numbers(unit: str = "", ad: AdKind | None = None) -> list[str]:
    """References to the numbers that the negotiator adds for a match, of a unit and an ad if one is
    given."""
    return [
        _reference(entry)
        for entry in EPHEMERAL
        if entry.presence in _OF_MATCHES
        and entry.type in ("integer", "real")
        and unit in ("", entry.unit)
        and ad in (None, entry.ad)
    ]


def _reference(entry: Ephemeral) -> str:
    return f"TARGET.{entry.name}" if entry.ad is AdKind.REQUEST else entry.name


def match_conditions() -> list[str]:
    """Comparisons of the running user with the one that asks, in every unit that both have."""
    units = dict.fromkeys(
        entry.unit for entry in EPHEMERAL if entry.ad is AdKind.REQUEST and entry.unit
    )
    return [
        f"{mine} > {theirs} * 1.2"
        for unit in units
        for mine in match_numbers(unit, AdKind.SLOT)
        for theirs in match_numbers(unit, AdKind.REQUEST)
    ]
