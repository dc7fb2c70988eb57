"""Lists the bugs to plant in pieslice/: the commands.

Outputs: ``MUTATIONS``.
"""

from __future__ import annotations

from typing import Final

from fuzz.mutations.mutation import Mutation

MUTATIONS: Final = (
    Mutation(
        "pieslice/simulation/matching.py", "            group_turns=state.group_turns,\n", "",
        "tests tests/pieslice/test_simulate.py",
    ),
    # Among whole numbers, what is equal is short of nothing.
    Mutation(
        "pieslice/why/clauses/findings.py", "        by -= 1\n", "        by -= 0\n",
        "tests tests/pieslice/test_why_requests.py -k short_by",
    ),
    # A rejection before hides that the schedd has no room left.
    Mutation(
        "pieslice/why/requests/fates.py", "(Unasked.JOB_PRIO, Unasked.ROOM,", "(Unasked.JOB_PRIO,",
        "tests tests/pieslice/test_why_requests.py -k first_ten_lines_have_it",
    ),
    # A name moves the cursor of the reader's terminal.
    Mutation(
        "pieslice/terminal.py",
        "    return text if text.isprintable() else text.translate(_ESCAPES)\n",
        "    return text\n",
        "tests tests/pieslice/test_hostile_names.py",
    ),
    # A configuration from Python stands below that of the pool.
    Mutation(
        "pieslice/api/pool.py",
        "texts=(*paths.texts, (name, text)))",
        "texts=((name, text), *paths.texts))",
        "tests tests/pieslice/test_api.py",
    ),
    # Equal slots of a table in parts stand in another order than those of one table.
    Mutation(
        "pieslice/partitions/asking.py", "-key), part, number", "-key), part, -number",
        "tests tests/pieslice/test_partitions.py -k parts_answer",
    ),
    # All seeds of a simulation from Python are the first one.
    Mutation(
        "pieslice/api/simulations.py", "_run(evolve(one, seed=number), told)", "_run(one, told)",
        "tests tests/pieslice/test_api.py -k seeds",
    ),
    # A clause is said to gain slots that another clause refuses, too.
    Mutation(
        "pieslice/why/clauses/table.py",
        "len(failing - more)",
        "len(failing)",
        "tests tests/pieslice/test_poolmatch.py",
    ),
    # A value is suggested with which a strict comparison is still false.
    Mutation(
        "pieslice/why/clauses/values.py",
        "math.ceil(value) - 1",
        "math.ceil(value)",
        "tests tests/pieslice/test_poolmatch.py",
    ),
    # Changes are told as they were thought of, without trying them on slots that match already.
    Mutation(
        "pieslice/why/clauses/change.py",
        "gained = matching - self.found.matching",
        "gained = matching",
        "tests tests/pieslice/test_poolmatch.py",
    ),
    # What an ad tells of a time before the last capture counts as news.
    Mutation(
        "pieslice/recording/facts.py",
        "told <= now and (before is None or told > before)", "told <= now",
        "tests tests/pieslice/test_recording.py -k as_old_as_the_ad_tells",
    ),
    # A slot that its owner takes counts as claimed again.
    Mutation(
        "pieslice/recording/notes.py",
        "claimed = state is not None and state.claimed", "claimed = True",
        "tests tests/pieslice/test_recording.py -k while_they_are_empty",
    ),
    # A time of a capture means the one before it.
    Mutation(
        "pieslice/inputs/moments.py", "if one.time <= time][-1]", "if one.time < time][-1]",
        "tests tests/pieslice/test_history.py -k at_or_before_a_time",
    ),
    # Jobs that had waited when they were first seen count from their submission on.
    Mutation(
        "pieslice/history/waits.py",
        "at_risk = bisect_right(entries, time) -", "at_risk = len(entries) -",
        "tests tests/pieslice/test_history.py -k seen_late_counts",
    ),
    # The record of estimates lets them know what came later.
    Mutation(
        "pieslice/history/start.py",
        "[spell for spell in job.spells if spell.time <= known_at]", "list(job.spells)",
        "tests tests/pieslice/test_history.py -k knows_nothing_of_the_later",
    ),
    # Secrets that came unasked are stored.
    Mutation(
        "pieslice/live/asking.py",
        'if not is_secret(line.split(" ")[0])',
        "if True",
        "tests tests/pieslice/test_capture.py -k stay_out",
    ),
    # A claim that is granted now was matched in a cycle before.
    Mutation(
        "pieslice/shadow/outcome.py",
        "(user, whole_slot(name))} & asked_for:",
        "(user, whole_slot(name))} & set():",
        "tests tests/pieslice/test_shadow.py -k granted_later",
    ),
    # A job that had gone before the cycle has not moved.
    Mutation(
        "pieslice/shadow/outcome.py",
        "moved = sum(1 for key in old if key not in new)",
        "moved = 0",
        "tests tests/pieslice/test_shadow.py -k what_moved",
    ),
    # What a command line gives takes the place of the configuration of a running pool.
    Mutation(
        "pieslice/inputs/running.py",
        "*filter(Path.is_file, own)]",
        "*filter(Path.is_file, ())]",
        "tests tests/pieslice/test_shadow.py -k on_top",
    ),
    # A sweep that is out of time does not go on with the next point.
    Mutation(
        "pieslice/sweeps/work.py",
        """        except LimitError:
            raise
""",
        "",
        "tests tests/pieslice/test_limits.py -k point",
    ),
    # A worker is another process, which knows no limit unless it is told.
    Mutation(
        "pieslice/sweeps/work.py",
        "with limits(left, self.memory, self.unpacked):",
        "with limits():",
        "tests tests/pieslice/test_limits.py -k worker",
    ),
    # An interruption that the command took for Ctrl-C is the limit all the same.
    Mutation(
        "pieslice/limiting.py",
        """    if over.is_set():
        raise UsedUp(_said(seconds))


def""",
        "\n\ndef",
        "tests tests/pieslice/test_limits.py -k its_own",
    ),
    # ---- bounds that are just met, and what is left from before
    Mutation(
        "pieslice/simulation/checkpoint.py",
        "        times = (simulation.epoch + claim.begun, simulation.epoch + claim.job_begun)",
        "        times = (simulation.epoch + claim.job_begun, simulation.epoch + claim.job_begun)",
        "tests tests/pieslice/test_simulate.py -k checkpoint",
    ),
    Mutation(
        "pieslice/simulation/engine.py",
        "        if claim is None or claim.token != token:",
        "        if claim is None:",
        "tests tests/pieslice/test_simulate.py -k preempted",
    ),
    Mutation(
        "pieslice/simulation/engine.py",
        "        if claim.next_job >= 0:\n"
        "            self.requeue(claim.next_job)",
        "        if claim.next_job > 0:\n"
        "            self.requeue(claim.next_job)",
        "tests tests/pieslice/test_simulate.py -k first_job",
    ),
    Mutation(
        "pieslice/simulation/engine.py",
        "total + sign * weight if jobs + sign else 0.0)",
        "total + sign * weight)",
        "tests tests/pieslice/test_simulate.py -k weighs",
    ),
    Mutation(
        "pieslice/simulation/engine.py",
        "            self.state.thrashed += job.preempted == 2",
        "            self.state.thrashed += job.preempted >= 2",
        "tests tests/pieslice/test_simulate.py -k thrashes",
    ),
    Mutation(
        "pieslice/simulation/workload.py",
        "        memory = row[_MEMORY] if row[_MEMORY] > 0 else max(row[_USED_MEMORY], 0)",
        "        memory = row[_MEMORY] if row[_MEMORY] >= 0 else max(row[_USED_MEMORY], 0)",
        "tests tests/pieslice/test_simulate.py -k no_memory",
    ),
    Mutation(
        "pieslice/recording/store.py",
        "            old = seconds is not None and until < last.time - seconds",
        "            old = seconds is not None and until <= last.time - seconds",
        "tests tests/pieslice/test_recording.py -k just_the_age",
    ),
    Mutation(
        "pieslice/recording/changes.py",
        "    end = _alike(old[::-1], new[::-1], min(len(old), len(new)) - start)",
        "    end = _alike(old[::-1], new[::-1], min(len(old), len(new)))",
        "tests tests/pieslice/test_recording.py -k repeat",
    ),
    Mutation(
        "pieslice/forecast/model.py",
        "    last = int(hours * 3600 / settings.step + 1e-9)",
        "    last = int(hours * 3600 / settings.step)",
        "tests tests/pieslice/test_forecast.py -k last_moment",
    ),
    Mutation(
        "pieslice/priorities/table.py",
        "    return since is None or (row.last or -1) >= since",
        "    return since is None or (row.last or -1) > since",
        "tests tests/pieslice/test_userprio.py -k very_moment",
    ),
    Mutation(
        "pieslice/priorities/table.py",
        "    if seconds <= 0:\n"
        '        return "<now>"',
        "    if seconds < 60:\n"
        '        return "<now>"',
        "tests tests/pieslice/test_userprio.py -k how_long",
    ),
    Mutation(
        "pieslice/priorities/table.py",
        "        active = int(seconds((*options.active_from, 0, 0, 0, 0, 0, -1)))",
        "        active = int(seconds((*options.active_from, 0, 0, 0, 0, 0, 0)))",
        "tests tests/pieslice/test_userprio.py -k on_the_wall",
    ),
    Mutation(
        "pieslice/history/life.py",
        "        and before.moment <= item.moment < spell.moment",
        "        and before.moment < item.moment <= spell.moment",
        "tests tests/pieslice/test_history.py -k since_the_job",
    ),
    Mutation(
        "pieslice/history/start.py",
        "    entry = max(0.0, first_seen - job.begun)",
        "    entry = 0.0",
        "tests tests/pieslice/test_history.py -k first_seen",
    ),
    Mutation(
        "pieslice/sweeps/work.py",
        "    for number in range(1, tries + 1):\n"
        "        try:\n"
        "            return Outcome(point, number, job(point))",
        "    for number in range(1, tries + 2):\n"
        "        try:\n"
        "            return Outcome(point, number, job(point))",
        "tests tests/pieslice/test_sweep.py -k more_often",
    ),
    Mutation(
        "pieslice/shadow/keeping.py",
        '        whole = data.rfind(b"\\n") + 1\n'
        "        if whole < len(data):",
        '        whole = data.rfind(b"\\n") + 1\n'
        "        if 0 < whole < len(data):",
        "tests tests/pieslice/test_shadow.py -k half_a_line",
    ),
    Mutation(
        "pieslice/shadow/loop.py",
        "                self._troubled = min(2 * self._troubled, _PATIENCE[1])",
        "                self._troubled = 2 * self._troubled",
        "tests tests/pieslice/test_shadow.py -k stays_away",
    ),
)  # fmt: skip
