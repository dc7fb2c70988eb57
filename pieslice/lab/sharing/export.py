"""Makes a page of what a laboratory shows that needs nothing else: no server, no other file.

Its scripts and styles are those of the laboratory.  Its content policy allows them by their
digests, and nothing else: names of the pool stand in data, where nothing is markup.

Inputs: the data of a page; texts of a policy.  Outputs: HTML; commands.
"""

from __future__ import annotations

import json
import re
import shlex
from base64 import b64encode
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Final

from classad.patterns import late_regex
from pieslice.data import JsonObject
from pieslice.lab.texts import EditedTexts
from pieslice.reports.pages import palette

WEB: Final = Path(__file__).parents[1] / "web"
#: Modules of the page, each after those that it imports.
MODULES: Final = ("dom", "pen", "tree", "map", "rows", "pays", "expressions", "why", "exported")
#: What the data take the place of.
PLACE: Final = "{page data}"
#: What the change is called in commands.
CHANGE: Final = "change.config"
_CHANGING: Final = frozenset(("--config", "--also", "-D"))
_END: Final = "END_OF_CHANGE"
_IMPORT: Final = late_regex(r'^import (\{[^}]*\}|\* as \w+) from "\./(\w+)\.js";\n', re.MULTILINE)
_EXPORT: Final = late_regex(r"^export ((?:async )?function|const) (\w+)", re.MULTILINE)
_POLICY: Final = (
    "default-src 'none'; script-src {}; style-src {}; img-src data:; "
    "base-uri 'none'; form-action 'none'"
)


def page(data: JsonObject) -> str:
    """The page; ``data`` as ``exported.js`` reads them."""
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    # No `</script>` ends data that have no `<`.
    return template().replace(PLACE, text.replace("<", "\\u003c"))


def template() -> str:
    """The page with ``PLACE`` for its data, JSON without ``<``."""
    script = bundle()
    style = f"{palette()}{_text('style.css')}"
    policy = _POLICY.format(_digest(script), _digest(style))
    found = _text("exported.html")
    for name, text in (("policy", policy), ("style", style), ("script", script)):
        found = found.replace(f"{{{name}}}", text)
    return found


def bundle() -> str:
    """The modules as one script, each a function that gives what it exports."""
    parts = [_module(name, _text(f"{name}.js")) for name in MODULES]
    return "\n".join(('"use strict";', *parts))


def _module(name: str, text: str) -> str:
    exported = [found[2] for found in _EXPORT.finditer(text)]
    text = _IMPORT.sub(lambda found: f"const {_names(found[1])} = in_{found[2]};\n", text)
    text = _EXPORT.sub(r"\1 \2", text)
    return f"const in_{name} = (() => {{\n{text}return {{{', '.join(exported)}}};\n}})();"


def _names(text: str) -> str:
    return text.removeprefix("* as ").replace(" as ", ": ")


def _digest(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _text(name: str) -> str:
    return (WEB / name).read_text("utf-8")


def commands(pool: Sequence[str], texts: EditedTexts, root: str | None) -> Iterator[str]:
    """What repeats a page: commands, one of several lines at most.

    ``pool``: words that name the pool; ``root``: what the page calls the first file of its
    configuration.
    """
    change: list[str] = []
    for name, _ in texts.files:
        if name == root:
            change += ["--config", Path(name).name]
            yield f"# save the text of {name} as {Path(name).name}"
        else:
            yield f"# put the text of {name} in the place of that file, and see the difference"
    if texts.overlay.strip():
        text = texts.overlay.rstrip("\n")
        yield f"cat > {CHANGE} <<'{_END}'\n{text}\n{_END}"
        change += ["--also", CHANGE]
    if not change:
        yield shlex.join(("pieslice", "negotiate", *pool))
    elif not _CHANGING.intersection(pool):
        # Beside these the pool's own configuration would be the other side.
        yield shlex.join(("pieslice", "diff", *pool, *change))
    if change == ["--also", CHANGE]:
        yield shlex.join(("pieslice", "lab", *pool, "--edit", CHANGE))
