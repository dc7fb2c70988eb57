"""Answers what the host of a definition is like: its port, its programs, its name, its locks.

Follows: the daemons of 25.14.1.
"""

from __future__ import annotations

import re
from typing import Final

from classad.patterns import late_regex
from policy.explain.roles import is_whole
from policy.knobs.reading import split_list
from policy.language.about import NOT_READ, NOT_RUN, about
from policy.language.numbers import read_boolean
from policy.lint.view import Setting, View

#: Where a daemon of which one runs in the whole pool takes its lock.
LOCK_URL: Final = late_regex(r"HA_(\w+_)?LOCK_URL", re.IGNORECASE)


def shares_port(setting: Setting) -> bool:
    """Do the daemons of a definition's host take connections from condor_shared_port?"""
    evaluate = setting.config.scope.functions.evaluate
    return read_boolean(setting.beside("USE_SHARED_PORT"), evaluate) is not False


def is_no_path(program: str) -> bool:
    """Does a text name nothing that the master could start?  It looks for nothing in PATH."""
    return bool(program.strip()) and not {"/", "\\"} & {*program}


def is_nameless(view: View, setting: Setting) -> bool:
    """Has the machine no name, as NO_DNS makes it of DEFAULT_DOMAIN_NAME and there is none?"""
    on = setting.upper == "NO_DNS" and setting.endless is None
    on = on and read_boolean(setting.text(), setting.config.scope.functions.evaluate) is True
    if not on or not is_whole(view.config) or setting.beside("DEFAULT_DOMAIN_NAME").strip():
        return False
    return not any(about(one).kind in (NOT_READ, NOT_RUN) for one in view.config.diagnostics)


def is_locked(setting: Setting) -> bool:
    """Does a daemon of MASTER_HA_LIST take its lock where a macro says?"""
    whose, listed = LOCK_URL.fullmatch(setting.macro), split_list(setting.beside("MASTER_HA_LIST"))
    assert whose is not None
    if whose[1] is not None:
        return whose[1].rstrip("_").casefold() in map(str.casefold, listed)
    return any(not setting.beside(f"HA_{name}_LOCK_URL").strip() for name in listed)
