"""Tells what a machine has beside its slots: the scripts of its startd, and GPUs.

Inputs: a topic with the startd's configuration.  Outputs: sentences.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from classad.patterns import late_regex
from policy.explain.sentences import Sentence, Topic, origin_of
from policy.explain.words import code
from policy.knobs.choices import CRON_PERIOD
from policy.publishing import text_of

#: A program that is looked for in no folder.
_BARE_NAME: Final = late_regex(r"[\w.-]+(?:\s|$)")


def scripts(topic: Topic) -> Iterator[Sentence]:
    """What the startd runs of its own, and what it cannot run."""
    listed = topic.config.lookup("STARTD_CRON_JOBLIST")
    for name in dict.fromkeys(re.split(r"[\s,]+", text_of(topic.config, listed).strip())):
        head = f"STARTD_CRON_{name}_"
        program = topic.config.lookup(f"{head}EXECUTABLE") if name else None
        if program is None:
            continue
        parts = {
            part: text_of(topic.config, topic.config.lookup(f"{head}{part}")).strip()
            for part in ("MODE", "PERIOD", "ARGS", "PREFIX")
        }
        mode, period = parts["MODE"].casefold(), parts["PERIOD"]
        when = "once" if mode in ("oneshot", "ondemand") else f"every {code(period)}"
        waits = ", again as soon as it ends" if mode == "waitforexit" else f", {when}"
        run = f"{text_of(topic.config, program)} {parts['ARGS']}".strip()
        text = f"{name} runs {code(run)}{waits}, and its output becomes attributes of the slots"
        text += f", which begin with {code(parts['PREFIX'])}." if parts["PREFIX"] else "."
        wrong = f"{code(period)} is no period" if not CRON_PERIOD.fullmatch(period or "0") else None
        wrong = f"{code(run)} has no whole path" if _BARE_NAME.match(run) else wrong
        text = f"{name} runs nothing: {wrong}." if wrong else text
        yield topic.sentence(text, origin_of(program.name, program))


def gpus(topic: Topic) -> Iterator[Sentence]:
    """Which GPUs the machine has, or who looks for them."""
    fixed = topic.config.lookup("MACHINE_RESOURCE_GPUS")
    found = topic.config.lookup("MACHINE_RESOURCE_INVENTORY_GPUS")
    detect = topic.config.lookup("STARTD_DETECT_GPUS")
    if fixed is not None:
        has = text_of(topic.config, fixed).strip()
        text = f"The machine has the GPUs {code(has)}."
        text = f"The machine counts as one with {has} GPUs." if has.isdecimal() else text
        yield topic.sentence(text, origin_of(fixed.name, fixed))
    elif found is not None:
        text = f"{code(text_of(topic.config, found))} says which GPUs there are."
        yield topic.sentence(text, origin_of(found.name, found))
    else:
        options = text_of(topic.config, detect).strip()
        origins = () if detect is None else (origin_of(detect.name, detect),)
        text = f"The startd looks for GPUs: {code(f'condor_gpu_discovery {options}')}."
        if options.casefold() in ("", "false"):
            text = "The startd does not look for GPUs."
        yield topic.sentence(text, *origins)
