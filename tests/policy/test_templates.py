"""Templates: how they are listed, their arguments, and that all of HTCondor's are there."""

from __future__ import annotations

import pytest

from policy.io import builtin_library
from policy.templates import Template, split_list
from tests.policy.config_vectors import load_vectors


def test_every_template_of_htcondor_is_there_under_its_name() -> None:
    wanted = {
        (category, name)
        for category, names in load_vectors("metaknobs.json")["categories"].items()
        for name in names
    }
    found = builtin_library().templates.entries.values()
    assert {(t.category, t.name) for t in found} == wanted


@pytest.mark.parametrize(
    ("listed", "expected"),
    [
        ("a, b(x, y) c", [("a", None), ("b", "x, y"), ("c", None)]),
        ("a (1) , b()", [("a", "1"), ("b", "")]),
        ("a(f(1,2)[3],4)", [("a", "f(1,2)[3],4")]),
        (" , ", []),
    ],
)
def test_a_list_of_templates(listed: str, expected: list[tuple[str, str | None]]) -> None:
    assert split_list(listed) == expected


def test_arguments_are_put_in() -> None:
    text = "0=$(0) 1=$(1:d) 2=$(2:$(X)) 3=$(3?) n=$(0#) r=$(2+) keep=$(X)"
    template = Template("C", "T", text)
    assert template.with_arguments(" a , b,  c(d,e) ") == (
        "0=a , b,  c(d,e) 1=a 2=b 3=1 n=3 r=b,  c(d,e) keep=$(X)"
    )
    assert template.with_arguments(None) == "0= 1=d 2=$(X) 3=0 n=0 r= keep=$(X)"
