"""Reads a pool under another policy.

Decides what a configuration in Python is: a file, a text as in a file, texts of files, or names and
values.

Inputs: how the pool was read, the configuration.  Outputs: ``OtherPolicy``; raises ``ReadError``.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from attr import evolve, frozen

from classad.errors import Diagnostic
from negotiator.io import Capture
from pieslice.api.errors import ReadError
from pieslice.inputs.pool import PoolReading, own_config, read_pool, with_configs, with_more
from policy.language.statements import is_identifier

if TYPE_CHECKING:
    from pieslice.policies.answers import Policy

#: Ends a value of several lines.
_END: Final = "end_of_value"
#: Of the name of a pool under another policy, in characters.
_LONGEST: Final = 60


@frozen
class OtherPolicy:
    """How a pool is read under another policy; ``label``: that in a few words.

    ``text_name``: what its text is called in diagnostics, empty for files.
    """

    reading: PoolReading
    label: str
    text_name: str = ""

    def read(self, known: Capture) -> Capture:
        """The pool; ``known``: as it was read before, of which only configurations are read again.

        Raises ``InputError`` for a configuration that a daemon would not start with.
        """
        return read_pool(self.reading, known=known)

    def errors(self, diagnostics: Sequence[Diagnostic]) -> list[Diagnostic]:
        """What the daemons would not start with in its text."""
        return [
            item
            for item in diagnostics
            if item.severity == "error"
            and item.source is not None
            and item.source.name == (self.text_name or None)
        ]

    def refuse_errors(self, diagnostics: Sequence[Diagnostic]) -> None:
        """Raise ``ReadError`` for what the daemons would not start with in its text."""
        errors = self.errors(diagnostics)
        if errors:
            raise ReadError("\n".join(item.render() for item in errors), errors)


def other_policy(
    reading: PoolReading, config: str | Mapping[str, object] | Path | Policy, where: str = ""
) -> OtherPolicy:
    """A pool with a file in place of its configuration, or a text or values after it.

    ``where``: on which machines, by the ad of a slot.
    """
    own = evolve(reading.inputs, paths=evolve(reading.inputs.paths, where=where))
    if not isinstance(config, str | Mapping):
        path = config if isinstance(config, Path) else path_of_policy(config)
        return OtherPolicy(evolve(reading, inputs=with_configs(own, [path])), f"{path}")
    if isinstance(config, str) and "=" not in config and os.path.exists(config.strip()):
        raise ReadError(f"`{config}` is a file, and a text is no name of one: give a Path")
    texts = own.paths.texts
    text = config if isinstance(config, str) else _assignments(config)
    # A text in Python need not end with a newline; a file must.
    text = text if text.endswith("\n") else f"{text}\n"
    name = f"<with_config {len(texts) + 1}>" if texts else "<with_config>"
    inputs = with_more(own, texts=((name, text),))
    return OtherPolicy(evolve(reading, inputs=inputs), _label(config), name)


def path_of_policy(config: object) -> Path:
    """The path of a ``Policy``; raises ``TypeError`` for what is none."""
    # Who has a policy has imported it; reading a pool does not need it.
    from pieslice.policies.answers import Policy

    if not isinstance(config, Policy):
        raise TypeError(f"{config!r} is no text, mapping, Path or Policy")
    return Path(config.path)


def edited_files(reading: PoolReading, texts: Mapping[str, str]) -> OtherPolicy:
    """A pool with other texts in the files of its configuration; nothing is written.

    Names are those of files, or relative to the folder of the root file, which is ``condor_config``
    where there is none.
    """
    inputs = reading.inputs
    paths = inputs.paths
    known = paths.find("config")
    root = known or Path(paths.folder or "", "condor_config")
    contents = dict(paths.contents)
    for name, text in texts.items():
        if not isinstance(text, str):
            raise TypeError(f"the text of the file {name!r} is {text!r}; values are a text, too")
        contents[root.parent / name] = text if text.endswith("\n") else f"{text}\n"
    new = {"config": root} if known is None and root in contents else {}
    paths = evolve(
        paths,
        given={**paths.given, **new},
        contents=tuple(contents.items()),
        before=paths.before or (own_config(paths),),
    )
    label = _short(", ".join(map(str, texts)) or "no other text")
    return OtherPolicy(evolve(reading, inputs=evolve(inputs, paths=paths)), label)


def _assignments(values: Mapping[str, object]) -> str:
    """Names and values as they stand in a file."""
    for name in values:
        if not is_identifier(name):
            raise ReadError(f"`{name}` is not a macro name")
    return "".join(_assignment(name, as_text(value)) for name, value in values.items())


def _assignment(name: str, text: str) -> str:
    if "\n" in text or text.endswith("\\"):
        # Only this form takes lines as they are.
        return f"{name} @={_END}\n{text}\n@{_END}\n"
    return f"{name} = {text}\n"


def as_text(value: object) -> str:
    """A value as it stands in a configuration."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _label(config: str | Mapping[str, object]) -> str:
    """Another policy in a few words."""
    if isinstance(config, str):
        lines = [" ".join(line.split()) for line in config.splitlines()]
        found = "; ".join(line for line in lines if line and not line.startswith("#"))
    else:
        found = ", ".join(f"{name}={as_text(value)}" for name, value in config.items())
    return _short(found)


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
