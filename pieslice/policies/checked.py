"""Checks a configuration: its verdicts and findings, as all reports have them.

Inputs: a path, who reads it.  Outputs: ``Checked``; raises ``Misuse`` and ``OSError``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Final

from attr import Factory, frozen

from classad.errors import Diagnostic
from pieslice.inputs.configuration import (
    ConfigurationReader,
    Misuse,
    followed_at,
    is_folder,
    read_configuration,
)
from pieslice.reports.document import shape, shape_text
from policy.config import Config
from policy.explain.roles import Host, host_of
from policy.knobs.other_daemons import DAEMONS
from policy.knobs.readers import JUDGED
from policy.language.about import about
from policy.lint.endings import Daemon
from policy.lint.findings import brought
from policy.lint.fragments import Fragment
from policy.lint.names import doubted
from policy.lint.verdict import Verdict, examine
from policy.versions import Followed

if TYPE_CHECKING:
    from pieslice.fuzzing.behaviour import Behaviour
    from pieslice.policies.reloads import Reload
    from pieslice.policies.shown import ShownFinding, ShownUpgrade
    from policy.lint.steps import Upgrade

#: The findings that say why an expression has no value: it looks at what nobody defines, or at
#: what jobs lack.
_UNDEFINED: Final = ("P401", "P434")


@frozen
class Checked:
    """One configuration that was checked."""

    path: str
    verdicts: tuple[Verdict, ...]
    findings: tuple[Diagnostic, ...]
    fragment: Fragment | None = None
    #: The version whose rules were followed, and what another one changes.
    followed: Followed = Factory(Followed)
    upgrade: Upgrade | None = None
    host: Host | None = None
    #: What a search for slots and jobs that break the policy found; None: nobody asked for it.
    behaviour: Behaviour | None = None
    #: The running configuration that is to be replaced, and what that changes.
    reload: tuple[str, Reload] | None = None

    @property
    def starts(self) -> bool:
        """Would all daemons start, also those of the version that is asked about?"""
        after = self.upgrade is None or self.upgrade.starts
        return after and all(verdict.starts for verdict in self.verdicts)

    @property
    def not_judged(self) -> tuple[str, ...]:
        """The daemons of DAEMON_LIST that no verdict is given on."""
        return not_judged(self.host, self.verdicts)

    @property
    def shown(self) -> list[ShownFinding]:
        """The findings as JSON has them."""
        from pieslice.policies.shown import ShownFinding

        return [*map(ShownFinding, self.findings)]

    @property
    def changes(self) -> ShownUpgrade | None:
        """What the other version changes, as JSON has it."""
        from pieslice.policies.shown import ShownUpgrade

        return None if self.upgrade is None else ShownUpgrade(self.upgrade)

    @property
    def reloading(self) -> Reload | None:
        """What the new configuration changes for daemons that run, as JSON has it."""
        return None if self.reload is None else self.reload[1]

    @property
    def all_findings(self) -> tuple[Diagnostic, ...]:
        """The findings, and behind them what the other version changes."""
        return (*self.findings, *(() if self.upgrade is None else self.upgrade.findings))

    def count(self, severity: str) -> int:
        """How many findings have this severity, without what other files or programs bring."""
        found = (one for one in self.all_findings if one.severity == severity)
        return sum(not brought(one) for one in found)


shape(Verdict, "daemon starts status text")
shape_text(Daemon, Fragment)
shape(
    Checked,
    "path =followed starts host verdicts not_judged fragment findings=shown upgrade?=changes"
    " behaviour? reload?=reloading",
)
shape(Host, "roles=role_names daemons")


def check_configuration(
    path: str,
    reader: ConfigurationReader,
    *,
    asked: bool = False,
    fragment: bool | None = None,
    to: Followed | None = None,
    running: str | None = None,
    search: bool = True,
    seed: int = 0,
    go_on: Callable[[], bool] | None = None,
) -> Checked:
    """The verdicts and findings; ``asked``: about the daemon that reads alone; ``to``: the version
    of which it is asked what changes on the way there; ``running``: where the configuration lies
    that daemons have now, of which it is asked what a reload changes.

    ``search``: whether slots and jobs are searched for that break the policy, shortly or for as
    long as ``go_on`` says.  A captured pool tells its version, and its next cycle is run; raises
    ``Misuse``.
    """
    followed, ends = followed_at(path, reader), list[Diagnostic]()
    if is_folder(path):
        from pieslice.policies.pools import ends_of_cycle

        ends = ends_of_cycle(path, reader)
    if to is not None and followed.given is None:
        raise Misuse(f"--upgrade {to.given} needs the version that runs now: --condor-version V")
    reader = reader._replace(keep_going=True, followed=followed)
    config = read_configuration(path, reader)
    found = examine(config, asked=asked, fragment=fragment)
    step = None
    if to is not None:
        from policy.lint.steps import upgrade

        after = read_configuration(path, reader._replace(followed=to))
        step = upgrade(config, after, asked=asked, fragment=fragment)
    findings = (*_of_command_line(config, found.findings), *ends)
    name = reader.called.get(path, path)
    change = None
    if running is not None:
        from pieslice.policies.reloads import reload

        before = read_configuration(running, reader)
        change = reader.called.get(running, running), reload(before, config)
    behaviour = _behaviour(config, path, findings, reader, seed, go_on) if search else None
    host = host_of(config)
    verdicts = found.verdicts if asked or not config.complete else of_all(host, found.verdicts)
    rest = followed, step, host, behaviour, change
    return Checked(name, verdicts, findings, found.fragment, *rest)


def _behaviour(
    config: Config,
    path: str,
    findings: Iterable[Diagnostic],
    reader: ConfigurationReader,
    seed: int,
    go_on: Callable[[], bool] | None,
) -> Behaviour:
    """What a search finds; there is none where an expression would take it for ever."""
    from pieslice.fuzzing.behaviour import NOTHING_SET, Behaviour, behaviour_of
    from pieslice.fuzzing.studied import sets_any

    if any(one.id == "P429" for one in findings):
        return Behaviour(missing="an expression has too many operators (P429)")
    if config.complete and not is_folder(path) and not sets_any(config):
        return Behaviour(missing=NOTHING_SET)  # what a search needs takes long to import
    from pieslice.fuzzing.command import schema_at

    explained = {about(one).macro.casefold() for one in findings if one.id in _UNDEFINED}
    return behaviour_of(config, schema_at(path), seed, go_on, reader.defines, explained)


def _of_command_line(config: Config, findings: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """The findings, with errors for macros of the command line that there are not."""
    given = tuple(doubted(config, ()))
    said = {_key(one) for one in given}
    yield from given
    yield from (one for one in findings if not said or _key(one) not in said)


def _key(finding: Diagnostic) -> tuple[object, ...]:
    """What a finding about the command line has in common with the same one of the check."""
    return (
        finding.id,
        None if finding.source is None else finding.source.name,
        finding.position,
    )


def of_all(host: Host, verdicts: Iterable[Verdict]) -> tuple[Verdict, ...]:
    """Verdicts, and those on the other daemons of DAEMON_LIST: the files set nothing that could
    end them."""
    found = list(verdicts)
    judged = {one.daemon.subsystem for one in found}
    runs = host.daemons if host.listed is not None and not host.adds else ()
    others = (Daemon(name) for name in JUDGED if name in runs and name not in judged)
    # What a verdict could not look at, the others have not seen either.
    unseen = next((one.caveat for one in found if one.caveat), "")
    found += [Verdict(one, True, 0, f"{one} would start{unseen}", caveat=unseen) for one in others]
    order = {name: at for at, name in enumerate(JUDGED)}
    return tuple(sorted(found, key=lambda one: order.get(one.daemon.subsystem, len(JUDGED))))


def not_judged(host: Host | None, verdicts: Iterable[Verdict]) -> tuple[str, ...]:
    """The daemons of DAEMON_LIST of which nobody says whether they would start."""
    told = {*JUDGED, *(one.daemon.subsystem for one in verdicts)}
    names = host.daemons if host is not None and host.listed is not None else ()
    return tuple(f"condor_{name.lower()}" for name in names if name in DAEMONS and name not in told)
