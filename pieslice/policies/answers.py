"""Checks and explains a configuration, and answers for people and programs.

``pieslice check`` and ``pieslice policy explain`` print these answers; ``import pieslice`` gives
them.

Inputs: a path, who reads it.  Outputs: ``Check``, ``Policy``; raise ``Misuse`` and ``OSError``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar, Final

from attr import Factory, field, frozen

from pieslice.inputs.configuration import (
    ConfigurationReader,
    Misuse,
    Shown,
    followed_at,
    read_configuration,
)
from pieslice.policies.checked import Checked, not_judged, of_all
from pieslice.policies.formats import report
from pieslice.policies.shown import ShownFinding
from pieslice.policies.texts import counted, host_line, old_names, sentence_lines, verdict_lines
from pieslice.reports.document import NOT_SHOWN, shape
from pieslice.reports.layout import Block, Drawn, Line
from pieslice.reports.result import DataTable, Result
from policy.config import Config
from policy.explain.roles import Host, host_of
from policy.explain.sentences import Sentence
from policy.explain.words import listing
from policy.lint.finding import ERROR, WARNING
from policy.lint.findings import FINDINGS, brought
from policy.lint.verdict import Examination, examine
from policy.load import PolicyLoad, load_policy
from policy.versions import Followed


@frozen(eq=False, repr=False)
class Check(Result):
    """Whether the daemons would start with a configuration, and what is doubtful in it."""

    schema: ClassVar[str] = "pieslice/check/1"
    checked: Checked

    @property
    def starts(self) -> bool:
        """Whether all daemons that read it would start."""
        return self.checked.starts

    @property
    def findings(self) -> DataTable:
        """The findings as a table."""
        rows = map(ShownFinding, self.checked.all_findings)
        names = "id severity file line column message help"
        return DataTable.of("findings", ShownFinding, rows, names)

    def summary(self) -> str:
        starts = "starts" if self.starts else "does not start"
        found = sum(not brought(one) for one in self.checked.all_findings)
        return f"{self.checked.path}: {starts}, {counted(found, 'finding')}"

    def blocks(self) -> Sequence[Block]:
        return [Drawn(lambda width: self._lines(width), indent=0)]

    def _lines(self, width: int) -> list[str]:
        return report([self.checked], "text", FINDINGS, width=width).split("\n")


shape(Check, "=checked")


class Macros(Mapping[str, str]):
    """The values of macros, expanded, by names in any case; built-in ones too."""

    def __init__(self, config: Config) -> None:
        self._config = config

    def __getitem__(self, name: str) -> str:
        text = self._config.text(name)
        if text is None:
            raise KeyError(f"`{name}` is not defined")
        return text

    def __iter__(self) -> Iterator[str]:
        from policy.explain.settings import everything

        return (one.name for one in everything(self._config) if one.value)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __reduce__(self) -> tuple[type[KeptMacros], tuple[dict[str, str]]]:
        """Pickled as the values alone: a configuration holds the programs that expand it."""
        from policy.explain.settings import everything

        return KeptMacros, ({one.name: one.value or "" for one in everything(self._config)},)


class KeptMacros(Mapping[str, str]):
    """The same values without the configuration."""

    def __init__(self, values: dict[str, str]) -> None:
        self._values = values
        self._names = {name.casefold(): name for name, value in values.items() if value}

    def __getitem__(self, name: str) -> str:
        known = self._names.get(name.casefold())
        if known is None:
            raise KeyError(f"`{name}` is not defined")
        return self._values[known]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names.values())

    def __len__(self) -> int:
        return len(self._names)


@frozen(eq=False, repr=False)
class Policy(Result):
    """What a configuration means for the negotiator, in sentences; ``macros`` has the values."""

    schema: ClassVar[str] = "pieslice/policy/1"
    path: str
    macros: Mapping[str, str] = field(metadata=NOT_SHOWN)
    sentences: tuple[Sentence, ...]
    followed: Followed = Factory(Followed)
    host: Host | None = None

    def summary(self) -> str:
        return f"{self.path}: {len(self.sentences)} sentences"

    def blocks(self) -> Sequence[Block]:
        topics = [sentence.topic for sentence in self.sentences[:1]]
        told = Drawn(lambda width: [*sentence_lines(self.sentences, width)][1:], indent=0)
        return [*(Line(topic, heading=True) for topic in topics), told]


shape(Sentence, "topic text depth origins")


def explain_configuration(path: str, reader: ConfigurationReader) -> Policy:
    """The policy at a path; raises ``Misuse`` if it cannot be read."""
    followed = followed_at(path, reader)
    reader = reader._replace(followed=followed)
    config = read_configuration(path, reader)
    if not config.complete:
        errors = [found.render() for found in config.diagnostics if found.severity == "error"]
        raise Shown("\n".join(errors)) if errors else Misuse(f"{path}: cannot be read")
    loaded = load_policy(config, subsystem=reader.subsystem, local_name=reader.local_name)
    return Policy(path, Macros(config), sentences_about(config, loaded), followed, host_of(config))


def sentences_about(
    config: Config, loaded: PolicyLoad, *, slots: float | None = None, set_only: bool = False
) -> tuple[Sentence, ...]:
    """The policy in sentences; with quotas in a pool of so many slots, or what files set only."""
    from policy.explain.explanation import explain_others, explain_policy, only_set

    quotas = None
    if slots is not None:
        from negotiator.groups.quotas import effective_quotas

        quotas = effective_quotas(loaded.policy, slots)
    host = host_of(config)
    sentences = explain_policy(config, loaded, quotas, host=host)
    sentences = (*sentences, *explain_others(config, sentences))
    shown = only_set(sentences) if set_only else sentences
    return (*about_host(host, examine(config)), *shown)


#: The heading of what comes before all else.
_HOST: Final = "This host"


def about_host(host: Host, examination: Examination) -> Iterator[Sentence]:
    """What a host is, which of its daemons would start, and what a check has to say."""
    line = host_line(host)
    places = () if host.listed is None else (host.listed[0],)
    yield Sentence(_HOST, f"{line[0].upper()}{line[1:]}.", places)
    verdicts = (
        one for one in examination.verdicts if host.runs(one.daemon.subsystem) or not one.starts
    )
    left = not_judged(host, examination.verdicts)
    for text in verdict_lines(of_all(host, verdicts), left):
        yield Sentence(_HOST, f"{text}.")
    findings = [one for one in examination.findings if not brought(one)]
    old = old_names(findings)
    others = [one.severity for one in findings if one not in old]
    counts = {word: others.count(word) for word in (ERROR, WARNING)} | {"old name": len(old)}
    parts = [counted(count, word) for word, count in counts.items() if count]
    if parts:
        lists = "lists it" if sum(counts.values()) == 1 else "lists them"
        yield Sentence(_HOST, f"{listing(parts)}: `pieslice check` {lists}.")
