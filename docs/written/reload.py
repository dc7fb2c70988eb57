"""Writes what was asked of the daemons about reloading, ``docs/reload.md``.

``python -m docs.written reload`` prints it.

Inputs: ``policy/data/reload.json``.  Outputs: the page as Markdown.
"""

from __future__ import annotations

from collections.abc import Iterator

from policy.data.tables import reload_rows

_INTRODUCTION = """\
<!-- Written by `python -m docs.written reload`; the rows are those of policy/data/reload.json. -->

# What a reload changes

Before you copy a new configuration to a host, `pieslice check --reload RUNNING NEW` says which
macros change for which daemon, whether `condor_reconfig` is enough, and, as ever, whether the
daemons would start:

```console
$ pieslice check --reload examples/reload/running examples/reload/new
...
  condor_startd: a restart is needed for NUM_CPUS
    NUM_CPUS: `8` -> `16`  (restart)
    START: `KeyboardIdle > 900` -> `KeyboardIdle > 300`  (condor_reconfig)
    Building: `"A"` -> `"B"`  (condor_reconfig)
    CLAIM_WORKLIFE: `1200` -> `3600`  (not known)
...
```

| it says | what that means |
|---|---|
| the next command reads it | condor_submit reads the files when it starts; nothing is to be done |
| condor_reconfig | the daemon was seen to act by the new value after `condor_reconfig` |
| restart | it did not, and did after `condor_restart` |
| not known | it was not asked, or neither was seen |

A daemon needs a restart as soon as one of its macros does. What is not known is never counted as
one or the other. RUNNING is a file, a folder or HOST of a running pool, as NEW is.

## What was asked

A pool on one machine ran with the first of two values, and something that shows the effect was
looked at: an attribute in the daemon's ad, a line of its log, how often it updates, a file that it
makes, what becomes of a job. Then the file got the second value, and it was looked at once more at
once, twelve seconds after `condor_reconfig`, and after `condor_restart`. The daemons are those of
25.14.1. `python -m fuzz.daemons.reload` asks again; `fuzz/daemons/reload_questions.py` has the
values and what was looked at. An answer is about the daemon that is named: others that read the
same macro were not asked.

"""
_WORDS = {"nothing": "the next command reads it", "reconfig": "condor_reconfig"}


def reload_page() -> str:
    """The whole page."""
    return _INTRODUCTION + "".join(f"{line}\n" for line in _table())


def _table() -> Iterator[str]:
    yield "| macro | daemon | what it needs |"
    yield "|---|---|---|"
    for name, (daemons, needs) in reload_rows().items():
        shown = f"`{name}`" if name != "<STARTD_ATTRS>" else "what STARTD_ATTRS names"
        programs = ", ".join(f"condor_{daemon.lower()}" for daemon in daemons.split())
        yield f"| {shown} | {programs} | {_WORDS.get(needs, needs)} |"
