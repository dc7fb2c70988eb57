"""Lists the bugs to plant at bounds, in rounding, and in what is left from before, in any room.

They came through all tests when they were first planted.

Outputs: ``MUTATIONS``.
"""

from __future__ import annotations

from typing import Final

from fuzz.mutations.mutation import Mutation

MUTATIONS: Final = (
    # ---- classad
    Mutation(
        "classad/table/sampling/programs.py",
        "        if missing < len(self.ads):\n"
        "            raise Unknown\n",
        "",
        "tests tests/classad/test_table_members.py -k only_some",
    ),
    Mutation(
        "classad/table/contents.py",
        "        for row in range(len(self) - 1, -1, -1):",
        "        for row in range(len(self)):",
        "tests tests/classad/test_table_citizen.py -k one_name",
    ),
    # ---- policy
    Mutation(
        "policy/lint/groups.py",
        "abs(value) > GREATEST_SINGLE and", "value > GREATEST_SINGLE and",
        "tests tests/policy/test_lint.py -k greatest_single",
    ),
    # ---- negotiator
    Mutation(
        "negotiator/sessions/pie.py",
        "        return max(float32(float32(self.limit) - float32(self.usage)), 0.0)",
        "        return max(float32(self.limit - self.usage), 0.0)",
        "tests tests/negotiator/test_pie.py",
    ),
    Mutation(
        "negotiator/sessions/spins.py",
        "        if state.terms.bounding_group is not None:\n"
        "            state.room =",
        "        if state.terms.bounding_group is not None and board.spin == 1:\n"
        "            state.room =",
        "tests tests/negotiator/test_corners.py",
    ),
    Mutation(
        "negotiator/sessions/spins.py",
        "            [float(s.last_heard_from % HEARD_MODULUS) for s in submitters],",
        "            [float(s.last_heard_from) for s in submitters],",
        "tests tests/negotiator/test_corners.py",
    ),
    Mutation(
        "negotiator/sessions/spins.py",
        "    return INT_MAX if ceiling < 0 else max(c_difference(ceiling, c_int(usage)), 0)",
        "    return INT_MAX if ceiling < 0 else max(c_int(ceiling - usage), 0)",
        "tests tests/negotiator/test_corners.py",
    ),
    Mutation(
        "negotiator/sessions/spins.py",
        "    if ceiling_left == 0 or ceiling_left < smallest:",
        "    if ceiling_left < smallest:",
        "tests tests/negotiator/test_corners.py",
    ),
    Mutation(
        "negotiator/sessions/rounds.py",
        "if accountant.usage(s.name) < below[s.name]]",
        "if accountant.usage(s.name) <= below[s.name] > 0]",
        "tests tests/negotiator/test_corners.py",
    ),
    Mutation(
        "negotiator/sessions/rounds.py",
        "        return float(value) if value.__class__ in (int, float, bool) else FLT_MAX",
        "        return float(value) if value.__class__ in (int, float) else FLT_MAX",
        "tests tests/negotiator/test_corners.py",
    ),
    Mutation(
        "negotiator/sessions/rounds.py",
        "        return self.usage(group) + add_up(map(self.subtree_usage, group.children))",
        "        return self.usage(group) + add_up(map(self.usage, group.children))",
        "tests tests/negotiator/test_corners.py",
    ),
    Mutation(
        "negotiator/sessions/session.py",
        "    if used >= terms.ceiling_left:",
        "    if used > terms.ceiling_left:",
        "tests tests/negotiator/test_corners.py",
    ),
    Mutation(
        "negotiator/sessions/session.py",
        "    board.concurrency.full.clear()\n"
        "    board.limit_refusals = 0",
        "    board.limit_refusals = 0",
        "tests tests/negotiator/test_corners.py",
    ),
    Mutation(
        "negotiator/sessions/session.py",
        "    board.concurrency.full.clear()\n"
        "    board.limit_refusals = 0",
        "    board.concurrency.full.clear()",
        "tests tests/negotiator/test_corners.py",
    ),
    Mutation(
        "negotiator/sessions/session.py",
        "        fits.append(_times(1 if there is None else there, wanted or 1))",
        "        fits.append(_times(there or 1, wanted or 1))",
        "tests tests/negotiator/test_corners.py",
    ),
    Mutation(
        "negotiator/matching/candidates.py",
        "        tally.concurrency_text = NOTHING_REFUSED\n"
        "        return True",
        "        return True",
        "tests tests/negotiator/test_corners.py",
    ),
    Mutation(
        "negotiator/accounting/accountant.py",
        "    if customer.hier_weighted_resources_used > 0:\n"
        "        weighted_recent = customer.hier",
        "    if customer.hier_weighted_resources_used > weighted_recent:\n"
        "        weighted_recent = customer.hier",
        "tests tests/negotiator/test_accounting.py",
    ),
    Mutation(
        "negotiator/accounting/accountant.py",
        "        begin_usage_time=now if used > 0 and begin == 0 else begin,",
        "        begin_usage_time=now if recent > 0 and begin == 0 else begin,",
        "tests tests/negotiator/test_accounting.py",
    ),
    Mutation(
        "negotiator/versions/usage.py",
        "        customer = customer.changed(floor=int(floor.previous), floor_lease=None)",
        "        customer = customer.changed(floor=0, floor_lease=None)",
        "tests tests/negotiator/test_accounting.py",
    ),
    Mutation(
        "negotiator/accounting/accountant.py",
        "last_update_time=now if last is not None else None)",
        "last_update_time=None if last is None else max(last, now))",
        "tests tests/negotiator/test_accounting.py",
    ),
    Mutation(
        "negotiator/accounting/accountant.py",
        "        if known.lower() == group.lower() and factor != 0:",
        "        if known.lower() == group.lower():",
        "tests tests/negotiator/test_accounting.py",
    ),
    Mutation(
        "negotiator/accounting/accountant.py",
        "        self.weight = stored(self.weight + weight)",
        "        self.weight = self.weight + weight",
        "tests tests/negotiator/test_accounting.py",
    ),
    Mutation(
        "negotiator/accounting/accountant.py",
        "        if whole and self._now == self._since():",
        "        if whole:",
        "tests tests/negotiator/test_accounting.py",
    ),
    Mutation(
        "negotiator/accounting/accountant.py",
        "            max(record.ceiling, -1),",
        "            record.ceiling or -1,",
        "tests tests/negotiator/test_accounting.py",
    ),
    Mutation(
        "negotiator/accounting/accountant.py",
        "        path = [group] if group == ROOT_GROUP else _prefixes(group)",
        "        path = _prefixes(group)[-2:]",
        "tests tests/negotiator/test_accounting.py",
    ),
    Mutation(
        "negotiator/accounting/log.py",
        "    if record.ceiling >= 0:",
        "    if record.ceiling > 0:",
        "fuzz log",
    ),
    Mutation(
        "negotiator/accounting/log.py",
        '            whole = name != "PriorityFactor"',
        "            whole = True",
        "fuzz log",
    ),
    Mutation(
        "negotiator/accounting/records.py",
        "    for length in range(1, len(parts) + 1):",
        "    for length in range(1, len(parts)):",
        "tests tests/negotiator/test_accounting.py",
    ),
    Mutation(
        "negotiator/accounting/records.py",
        "        usable = isinstance(factor, int | float) and factor >= MIN_FACTOR",
        "        usable = isinstance(factor, int | float) and factor > MIN_FACTOR",
        "tests tests/negotiator/test_accounting.py",
    ),
    Mutation(
        "negotiator/accounting/records.py",
        "    return AccountantState(customers, {}, max(updates, default=None))",
        "    return AccountantState(customers, {}, min(updates, default=None))",
        "tests tests/negotiator/test_accounting.py",
    ),
    Mutation(
        "negotiator/accounting/records.py",
        "        slot_weight=1.0 if weight is None else weight,",
        "        slot_weight=weight or 1.0,",
        "tests tests/negotiator/test_accounting.py",
    ),
    Mutation(
        "negotiator/accounting/restart.py",
        '        counts = "@" in record.name or record.name in groups',
        "        counts = True",
        "tests tests/negotiator/test_accounting.py",
    ),
    # ---- pieslice
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
        "        per_cpu = row[_MEMORY] if row[_MEMORY] > 0 else max(row[_USED_MEMORY], 0)",
        "        per_cpu = row[_MEMORY] if row[_MEMORY] >= 0 else max(row[_USED_MEMORY], 0)",
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
        "        if whole < self.path.stat().st_size:",
        "        if 0 < whole < self.path.stat().st_size:",
        "tests tests/pieslice/test_shadow.py -k half_a_line",
    ),
    Mutation(
        "pieslice/shadow/loop.py",
        "                self._troubled = min(2 * self._troubled, _PATIENCE[1])",
        "                self._troubled = 2 * self._troubled",
        "tests tests/pieslice/test_shadow.py -k stays_away",
    ),
)  # fmt: skip
