"""Draws configurations for Hypothesis: texts with macros, and trees of accounting groups.

They are weighted towards the traps of the language: macros of themselves, circles, defaults in
references, function macros, continued lines, comments within values, conditions, prefixed names, a
group without its parent or with both kinds of quota.  Needs the extra ``fuzz`` (Hypothesis).
Outputs: strategies of texts, and of knobs as ``policy_from_knobs`` takes them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from classad.extras import load

if TYPE_CHECKING:
    import hypothesis.strategies as st
else:
    st = load("hypothesis.strategies")

__all__ = ["configurations", "fractions", "group_trees", "quotas", "values"]

#: Macros that invented texts set and refer to; two of them differ in case only.
MACROS: Final = ("A", "B", "C", "a", "NEGOTIATOR.A", "LONG_NAME")
#: Knobs for all groups and what they are set to; most trees share their surplus.
_FOR_ALL: Final = {
    "GROUP_ACCEPT_SURPLUS": ("True", "True", "False", ""),
    "NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION": ("False", "True", ""),
}
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
    knobs = {"GROUP_NAMES": ", ".join(names)}
    for name in names:
        kind = draw(st.sampled_from(["static", "dynamic", "static", "dynamic", "both", "none"]))
        if kind in ("static", "both"):
            knobs[f"GROUP_QUOTA_{name}"] = repr(draw(quotas()))
        if kind in ("dynamic", "both"):
            knobs[f"GROUP_QUOTA_DYNAMIC_{name}"] = repr(draw(fractions()))
        for knob in ("GROUP_ACCEPT_SURPLUS", "GROUP_AUTOREGROUP"):
            if draw(st.integers(0, 2)) == 2:
                knobs[f"{knob}_{name}"] = str(draw(st.booleans()))
    for knob, settings in _FOR_ALL.items():
        setting = draw(st.sampled_from(settings))
        if setting:
            knobs[knob] = setting
    return knobs
