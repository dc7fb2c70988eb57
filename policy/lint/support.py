"""Reports what a configuration asks for and pieslice does not do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from classad.errors import Diagnostic
from policy.language.reader import UNRECORDED
from policy.lint.finding import NOTE, WARNING, Finding
from policy.load import PolicyLoad

NOT_RUN: Final = Finding(
    "P910",
    WARNING,
    "a program that is not run",
    "pieslice runs no programs that a configuration names, so what it would print is missing from"
    " everything said here. Put the output into a file and include that, or give"
    " `--allow-commands`.",
    "include command : /usr/local/bin/make-groups\n",
    "include ifexist : /usr/local/share/groups.conf\n",
)
NOT_HONOURED: Final = Finding(
    "P911",
    NOTE,
    "a setting that pieslice negotiate does not act on",
    "HTCondor does what the setting says, a simulated cycle does not; the knob reference says why.",
    "STARTD_AD_REEVAL_EXPR = True\n",
    "# STARTD_AD_REEVAL_EXPR = True\n",
)
NOT_HERE: Final = Finding(
    "P912",
    WARNING,
    "a configuration file that is not here",
    "The file that LOCAL_CONFIG_FILE names cannot be read on this machine, and everything said here"
    " is said without it. Daemons that do not find it either do not start, unless"
    " REQUIRE_LOCAL_CONFIG_FILE is False. Name another one with `-D LOCAL_CONFIG_FILE=...`.",
    "LOCAL_CONFIG_FILE = /etc/condor/condor_config.local\n",
    "LOCAL_CONFIG_FILE = /etc/condor/condor_config.local\nREQUIRE_LOCAL_CONFIG_FILE = False\n",
)

NOT_RECORDED: Final = Finding(
    UNRECORDED,
    WARNING,
    "a template that is not recorded of this version",
    "The templates of 23.9.6 and 25.14.1 are known. Of a version between them the text of 23.9.6 is"
    " taken where the two differ, and that of 25.14.1 for a template that 23.9.6 lacks, unless the"
    " notes on releases say more.",
    "use FEATURE : GANGLIA\n",
    "DAEMON_LIST = $(DAEMON_LIST),GANGLIAD\n",
    between=("24.0",),
)


def check_support(loaded: PolicyLoad) -> Iterator[Diagnostic]:
    """A note for each setting that is not honoured."""
    for setting in loaded.unsupported:
        message = f"{setting.macro} is not honoured by pieslice negotiate"
        yield NOT_HONOURED.on(setting.definition, message, setting.reason)
