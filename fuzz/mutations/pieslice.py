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
    # Workers of a cluster simulate with another version of this package.
    Mutation(
        "pieslice/sweeps/work.py", "if theirs != (ours := resolve_name(_VERSION)):",
        "if False and theirs != (ours := resolve_name(_VERSION)):",
        "tests tests/pieslice/test_sweep.py -k same_package",
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
    # A message has the escapes of a file's name raw.
    Mutation(
        "pieslice/terminal.py",
        '    lines = "\\n".join(map(printable, text.split("\\n")))\n', "    lines = text\n",
        "tests tests/pieslice/test_hostile_input.py -k steering",
    ),
    # A day begins in the zone of the machine.
    Mutation(
        "pieslice/inputs/pool.py", "moment = moment.replace(tzinfo=UTC)", "pass",
        "tests tests/pieslice/test_hostile_input.py -k utc",
    ),
    # `--expected=--` is an internal error.
    Mutation(
        "pieslice/command_line.py", 'and arg_strings == ["--"]:', 'and arg_strings == ["-"]:',
        "tests tests/pieslice/test_hostile_input.py -k minuses",
    ),
    # What is wrong with a pool is said for each of the policies that are compared on it.
    Mutation(
        "pieslice/reports/output.py", "if item.render() not in known]", "if item.render()]",
        "tests tests/pieslice/test_hostile_input.py -k second_policy",
    ),
    # A table of machines with a line that is no CSV ends in an internal error.
    Mutation(
        "pieslice/simulation/workload.py", "except csv.Error as problem:",
        "except ArithmeticError as problem:",
        "tests tests/pieslice/test_hostile_input.py -k table_of_machines",
    ),
    # A simulation that is taken up: job 0 waits for a slot; slots forget since when they are free.
    Mutation(
        "pieslice/simulation/checkpoint.py",
        "        if claim.next_job >= 0:\n", "        if claim.next_job > 0:\n",
        "tests tests/pieslice/test_checkpoints.py -k first_job",
    ),
    Mutation(
        "pieslice/simulation/checkpoint.py",
        "            if slot.name not in simulation.state.claims\n",
        "            if not slot.name\n",
        "tests tests/pieslice/test_checkpoints.py -k any_moment",
    ),
    # The schedd gives a match to its best job that suits the slot, not to the one that asked.
    Mutation(
        "pieslice/simulation/matching.py",
        "carry_out(match, job.cluster - 1)", "carry_out(match, int(float(match.job)) - 1)",
        "tests tests/pieslice/test_simulate.py -k autocluster",
    ),
    Mutation(
        "pieslice/simulation/pool.py",
        'self.ad.get_string("MachineResources") or _RESOURCES', "_RESOURCES",
        "tests tests/pieslice/test_simulate.py -k every_resource",
    ),
    Mutation(
        "pieslice/simulation/engine.py",
        "len(self.state.claims) < most", "len(self.state.claims) <= most",
        "tests tests/pieslice/test_simulate.py -k leaves_of",
    ),
    Mutation(
        "pieslice/simulation/engine.py",
        "show_free(slot.ad, self.epoch + self.state.now)", "show_free(slot.ad)",
        "tests tests/pieslice/test_simulate.py -k since_when",
    ),
)  # fmt: skip
