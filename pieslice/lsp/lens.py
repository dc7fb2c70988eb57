"""Says what a configuration that is being written changes in the next cycle of a captured pool.

Inputs: a pool, the texts of a configuration as they are now.  Outputs: a sentence.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Container
from pathlib import Path
from typing import TYPE_CHECKING, Final

from attr import define

from pieslice.lsp.project import ROOT, CheckedConfig

if TYPE_CHECKING:
    from pieslice.api.session import Session, Trial

#: Users that are named.
_MOST: Final = 4


@define
class PoolLens:
    """A pool with a session, which begins with the first question; ``pool`` is a full path."""

    pool: str
    _session: Session | None = None

    def said(
        self, checked: CheckedConfig, edited: Container[str], cancelled: Callable[[], object]
    ) -> str:
        """What changes; ``edited``: the full paths of files whose texts are not those on disk.

        Raises ``Error``, and ``Cancelled`` once ``cancelled`` is true.
        """
        # What a cycle needs takes as long to import as everything else of the server.
        from pieslice.api.pool import read

        if self._session is None:
            self._session = read(self.pool).session()
        texts = {os.path.abspath(one.name): one.text for one in checked.config.texts}
        given = {path: text for path, text in texts.items() if path in edited}
        if os.path.join(self.pool, ROOT) not in texts:
            # The root of another folder stands for that of the pool.
            given = {ROOT: next(iter(texts.values()), ""), **given}
        return _sentence(self._session.edit(given, cancelled=cancelled), Path(self.pool).name)


def _sentence(trial: Trial, pool: str) -> str:
    from pieslice.reports.layout import plural

    if not trial.starts:
        return "this edit: the daemons would not start with it"
    changes = trial.changes
    if not trial.affects or changes.same:
        return f"this edit changes nothing in the next cycle of {pool}"
    users = sorted(changes.users, key=lambda user: -abs(user.net))
    nets = [
        f"{changes.short_names[user.user]} {user.net:+.6g}".replace(" -", " \N{MINUS SIGN}")
        for user in users[:_MOST]
        if user.net
    ]
    slots = f"{plural(len(changes.slots), 'slot')} {'goes' if len(changes.slots) == 1 else 'go'}"
    gains = ", ".join(nets) or "as many slots for everybody"
    return f"this edit: {slots} another way; {gains}"
