"""The fields of documents are a contract: what is recorded in ``schema_fields.txt`` stays.

A line of the file is an object: a document ``name/version``, or what a field has.  A field is
``name=type``, ``name?=type`` if it may be missing; ``real`` is a number or null, ``[x]`` a list,
``{x}`` an object whose names are not fields, or are listed; a blank in a name is ``_``.  Names of
objects are the file's own.

A field that goes or changes its type needs a new version of its schema, with lines of its own; a
new field is added to its line: ``python -m tests.pieslice.test_schema_fields`` prints the record of
the fields that there are.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pieslice
from pieslice.api.schemas import document_classes
from tests.cases import every_case

RECORD = Path(__file__).with_name("schema_fields.txt")
#: Of each object the types of its fields by name.
Objects = Mapping[str, Mapping[str, str]]


def recorded(text: str) -> Objects:
    """The objects of a record; lines that are indented go on with the one before."""
    lines = (line for line in text.splitlines() if line and not line.startswith("#"))
    joined = re.sub(r"\n +", " ", "\n".join(lines))
    parts = (line.partition(": ") for line in joined.splitlines())
    return {name: dict(word.split("=") for word in words.split()) for name, _, words in parts}


def type_of(node: Mapping[str, Any]) -> str:
    """The type of a part of a schema, as the record writes it."""
    if "$ref" in node:
        return str(node["$ref"]).removeprefix("#/$defs/")
    if "anyOf" in node:
        return "|".join(map(type_of, node["anyOf"]))
    if "enum" in node or "const" in node:
        return "string"
    kind = node.get("type", "any")
    if kind == "array":
        parts = node.get("prefixItems") or [node["items"]]
        return f"[{','.join(map(type_of, parts))}]"
    if kind == "object":
        values = node["additionalProperties"] or next(iter(node["properties"].values()))
        return f"{{{','.join([*node.get('properties', ()), type_of(values)])}}}"
    text = kind if isinstance(kind, str) else "|".join(kind)
    return text.replace("number|null", "real")


def objects(schema: Mapping[str, Any]) -> Objects:
    """The document and the definitions of a schema."""
    name = schema["properties"]["schema"]["const"].removeprefix("pieslice/")
    return {
        label: {
            field.replace(" ", "_") + ("" if field in node["required"] else "?"): type_of(part)
            for field, part in node["properties"].items()
            if field != "schema"
        }
        for label, node in [(name, schema), *schema.get("$defs", {}).items()]
    }


def differences(old: Objects, new: Objects, root: str) -> Iterator[str]:
    """What a document has lost, changed and got, whatever its objects are called."""
    seen, left = set(), [(root, root, root)]
    while left:
        place, one, other = left.pop()
        if (one, other) in seen:
            continue
        seen.add((one, other))
        before, after = old[one], new[other]
        yield from (f"{place}: {name} goes" for name in before if name not in after)
        yield from (f"{place}: {name}={after[name]} is new" for name in after if name not in before)
        for name in before.keys() & after.keys():
            words, others = (re.findall(r"[\w-]+|\W", side[name]) for side in (before, after))
            left += [
                (f"{place}.{name}", a, b)
                for a, b in zip(words, others, strict=False)
                if a in old and b in new
            ]
            if [word not in old and word for word in words] != [
                word not in new and word for word in others
            ]:
                yield f"{place}: {name}={before[name]} becomes {after[name]}"


OLD = recorded(RECORD.read_text())


@every_case("name", list(document_classes()))
def test_what_is_recorded_of_a_document_stays_and_all_of_it_is_recorded(name: str) -> None:
    schema = pieslice.schema(name)
    root = str(schema["title"]).removeprefix("pieslice/")
    assert root in OLD, f"{root} is not recorded"
    found = list(differences(OLD, objects(schema), root))
    assert found == [], "what is new is recorded, what is recorded stays (see above)"


def test_every_schema_that_is_recorded_is_there() -> None:
    versions = {name for name in OLD if "/" in name}
    assert {name.split("/")[0] for name in versions} == set(document_classes())


def test_a_loss_a_change_and_a_new_field_are_noticed() -> None:
    old = recorded("a/1: x=integer y=[B] z?=real\nB: u=string\n  v=C|null\nC: w=boolean")
    same = recorded("a/1: x=integer y=[Q] z?=real\nQ: u=string v=R|null\nR: w=boolean")
    assert list(differences(old, same, "a/1")) == []
    other = recorded("a/1: y=[Q] z=real\nQ: u=string|null v=R|null more=real\nR: w=boolean")
    assert sorted(differences(old, other, "a/1")) == [
        "a/1.y: more=real is new",
        "a/1.y: u=string becomes string|null",
        "a/1: x goes",
        "a/1: z=real is new",
        "a/1: z? goes",
    ]


def record() -> Iterator[str]:
    """The lines of a record of the fields that there are."""
    parts: dict[str, Mapping[str, str]] = {}
    for name in document_classes():
        parts |= objects(pieslice.schema(name))
    yield "# The fields of JSON documents and of the objects in them; see test_schema_fields.py."
    yield "# A new field is added; what goes or changes needs a new version of the schema."
    for label in sorted(parts, key=lambda label: ("/" not in label, label)):
        words = " ".join(f"{name}={type_}" for name, type_ in parts[label].items())
        yield from textwrap.wrap(
            f"{label}: {words}", 110, subsequent_indent="  ", break_long_words=False,
            break_on_hyphens=False,
        )  # fmt: skip


if __name__ == "__main__":
    print("\n".join(record()))
