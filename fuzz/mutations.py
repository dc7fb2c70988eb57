"""Lists bugs to plant, one at a time, and what should notice each.

``by``: ``conform FILES`` runs recorded vectors, ``fuzz TARGET`` a target's few cases, ``tests
FILES`` tests.  A text stands exactly once in its file, which a test checks.

Outputs: ``MUTATIONS``.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Mutation(NamedTuple):
    """One planted bug: in ``file`` the text ``old`` becomes ``new``."""

    file: str
    old: str
    new: str
    by: str


_OPERATORS: Final = "classad/language/operators.py"
_VECTORS: Final = "conform tests/vectors/classad"
_FOUND: Final = "tests tests/classad/test_found_by_fuzzing.py"
_COMPILED: Final = "tests tests/classad/test_compiled_values.py"
_SELECT: Final = "csrc/select.c"
#: What compares every fast way of many ads, and of one evaluated often, with the definition.
_ONE_BY_ONE: Final = "tests tests/classad/test_table_one_by_one.py"
_LOGIC: Final = "tests tests/classad/test_table_logic.py"
_BOUNDS: Final = "tests tests/classad/test_table_bounds.py"
_CLOCK: Final = "tests tests/classad/test_table_clock.py"
_OFTEN: Final = "tests tests/classad/test_eval_often.py"
_DEPTH: Final = "tests tests/classad/test_eval_depth.py"
#: Recorded scenarios, of which some show one rule each.
_WILD: Final = "tests tests/negotiator/test_wild.py"

MUTATIONS: Final = (
    # ---- the evaluator
    Mutation(
        _OPERATORS, "return ERROR if x == inf else x", "return x", f"{_VECTORS}/op_real.jsonl",
    ),
    Mutation(_OPERATORS, "if a == INT_MIN and b == -1:", "if False:", f"{_VECTORS}/op_int.jsonl"),
    Mutation(
        _OPERATORS, "quotient if (a < 0) == (b < 0) else -quotient", "quotient",
        f"{_VECTORS}/op_int.jsonl",
    ),
    Mutation(
        _OPERATORS, "return -rest if a < 0 else rest", "return -rest if b < 0 else rest",
        f"{_VECTORS}/op_int.jsonl",
    ),
    Mutation(
        _OPERATORS, "negative = (x < 0) != (str(y)[0] == \"-\")", "negative = x < 0",
        f"{_VECTORS}/op_arith.jsonl",
    ),
    Mutation(
        "classad/language/values.py",
        "return text.lower().encode()", "return text.upper().encode()", _FOUND,
    ),
    Mutation(
        _OPERATORS, "    if ca is not b.__class__:\n        return False",
        "    if ca is not b.__class__ and not {ca, b.__class__} <= _NUMBERS:\n        return False",
        f"{_VECTORS}/op_equal.jsonl",
    ),
    Mutation(
        _OPERATORS, "    if x is True or y is False or y is ERROR:",
        "    if x is True or y is False:", f"{_VECTORS}/op_logic.jsonl",
    ),
    Mutation(
        _OPERATORS, "    if x is True or x is ERROR:\n        return x\n    y",
        "    if x is True:\n        return x\n    y", f"{_VECTORS}/op_logic.jsonl",
    ),
    Mutation(
        _OPERATORS, "return b if a is UNDEFINED else a", "return b if a.__class__ is Value else a",
        _FOUND,
    ),
    Mutation(
        "classad/evaluation/reference.py", "    elif value is ERROR and selector is not ERROR:",
        "    elif False:", _FOUND,
    ),
    Mutation(
        "classad/evaluation/reference.py", "None if owner is ad else (ad, owner)", "None", _FOUND,
    ),
    Mutation(
        "classad/builtins/numbers.py", "_NO_STEP: Final = 1e-8", "_NO_STEP: Final = 0.0",
        _FOUND,
    ),
    Mutation(
        "classad/builtins/lists.py", "        if outcome is UNDEFINED:\n            return False",
        "        if outcome is UNDEFINED:\n            continue", f"{_VECTORS}/fn_good.jsonl",
    ),
    Mutation(
        "classad/evaluation/state.py", "(ad, self._scope_of(ad._parent))", "(ad, home)", _FOUND,
    ),
    Mutation(
        "classad/compiled/python_source.py", "{choice} is {test == 'if'}:",
        "{choice} == {test == 'if'}:", _COMPILED,
    ),
    Mutation(
        "classad/compiled/python_source.py", " is None and ad._parent is None", " is None",
        _COMPILED,
    ),
    # ---- group quotas
    Mutation(
        "negotiator/groups/quotas.py",
        "statics if oversubscription else min(statics, quota)", "statics",
        "fuzz quotas",
    ),
    Mutation(
        "negotiator/groups/quotas.py",
        "dynamic_part / max(dynamics, 1.0)", "dynamic_part", "fuzz quotas",
    ),
    Mutation(
        "negotiator/groups/quotas.py", "keeps_all = oversubscription and group.parent is not None",
        "keeps_all = oversubscription", "tests tests/negotiator/test_quotas.py",
    ),
    Mutation(
        "negotiator/groups/quotas.py",
        "        if child.settings.accept_surplus:\n            group.sub",
        "        if True:\n            group.sub", "tests tests/negotiator/test_quotas.py",
    ),
    Mutation(
        "negotiator/groups/quotas.py", "            if amount > wants[i]:", "            if False:",
        "fuzz quotas",
    ),
    Mutation(
        "negotiator/groups/quotas.py",
        "weights = [child.subtree_quota for child in group.children] + [group.quota]",
        "weights = [child.quota for child in group.children] + [group.quota]",
        "tests tests/negotiator/test_quotas.py",
    ),
    Mutation(
        "negotiator/groups/quotas.py", "group.requested -= group.allocated", "pass",
        "tests tests/negotiator/test_quotas.py",
    ),
    Mutation(
        "negotiator/groups/tree.py",
        "wanted = sorted(settings, key=lambda item: item.name.lower())",
        "wanted = list(settings)", "tests tests/negotiator/test_quotas.py",
    ),
    Mutation(
        "negotiator/groups/tree.py",
        "now if group.served_round_robin or group.requested <= 0 else group.rr_time",
        "now if group.served_round_robin else group.rr_time", _WILD,
    ),
    Mutation(
        "negotiator/sessions/rounds.py",
        "return self.usage(group) + add_up(map(self.subtree_usage, group.children))",
        "return self.board.accountant.state().customers[group.name].hier_weighted_resources_used",
        _WILD,
    ),
    Mutation(
        "pieslice/simulate/matching.py", "            group_turns=state.group_turns,\n", "",
        "tests tests/pieslice/test_simulate.py",
    ),
    # ---- corner rules of sessions and candidates
    Mutation(
        "negotiator/jobs/submitters.py", "in map(_by_itself, submitters):", "in submitters:",
        _WILD,
    ),
    Mutation(
        "negotiator/cycle.py", "    accountant.meet(submitter.name for submitter in fetched)\n", "",
        _WILD,
    ),
    Mutation(
        "negotiator/model/arithmetic.py", "return (one - other - INT_MIN) % 2**32 + INT_MIN",
        "return one - other", _WILD,
    ),
    Mutation(
        "negotiator/matching/candidates.py", "current_weight(slot.ad, board.context)",
        "slot.weight", _WILD,
    ),
    Mutation(
        "negotiator/matching/rank.py", "        if mine < its:", "        if not mine > its:",
        _WILD,
    ),
    Mutation(
        "negotiator/sessions/session.py", "        carry_match(slot, request.ad, limits)",
        "        pass", _WILD,
    ),
    Mutation(
        "negotiator/pool/partitionable.py",
        "            claims.difference_update(child.index for child in gone)\n", "", _WILD,
    ),
    Mutation(
        "negotiator/pool/partitionable.py", "            use_plain_requirements(slot)",
        "            pass",
        "tests tests/negotiator/test_partitionable.py",
    ),
    Mutation(
        "negotiator/pool/partitionable.py",
        "        self.slot.ad.insert(\"RemoteUser\", UNDEFINED)\n", "",
        "tests tests/negotiator/test_partitionable.py",
    ),
    # ---- the accountant
    Mutation(
        "negotiator/accounting/restart.py",
        "used[name] = slots + 1, weight + claim.slot_weight",
        "used[name] = 1, claim.slot_weight", "tests tests/negotiator/test_accounting.py",
    ),
    Mutation(
        "negotiator/pool/claims.py", "    found = dict(waiting)\n",
        "    found = dict(waiting)\n    matches = ()\n", _WILD,
    ),
    Mutation(
        "negotiator/capture/pool_order.py", "        self._size = len(table)\n", "",
        "tests tests/negotiator/test_poolorder.py",
    ),
    Mutation(
        "negotiator/accounting/accountant.py", "beta = 0.5 ** (elapsed / half_life)",
        "beta = 0.5 ** (elapsed / half_life / 2)", "tests tests/negotiator/test_accounting.py",
    ),
    Mutation(
        "negotiator/accounting/accountant.py",
        "return float(number if number % 1 == 0 else f\"{number:f}\")", "return number",
        "tests tests/negotiator/test_accounting.py",
    ),
    Mutation(
        "negotiator/accounting/accountant.py",
        "customer.accumulated_usage + customer.resources_used * elapsed + uncharged",
        "customer.accumulated_usage + customer.resources_used + uncharged", "fuzz ageing",
    ),
    Mutation(
        "negotiator/accounting/accountant.py",
        "MIN_PRIORITY: Final = 0.5", "MIN_PRIORITY: Final = 0.0",
        "tests tests/negotiator/test_accounting.py",
    ),
    # ---- the cycle
    Mutation(
        "negotiator/sessions/pie.py", "        if name not in seen:", "        if True:",
        "tests tests/negotiator/test_pie.py tests/negotiator/test_cycle.py",
    ),
    Mutation(
        "negotiator/matching/candidate.py", "used + cost <= allowed or (used <= 0 < allowed)",
        "used + cost < allowed or (used <= 0 < allowed)", "tests tests/negotiator/test_cycle.py",
    ),
    Mutation(
        "negotiator/sessions/pie.py", "share * total - usage", "share * total",
        "tests tests/negotiator/test_cycle.py",
    ),
    Mutation(
        "negotiator/matching/concurrency.py", "+ increment > self._maximum(name)",
        "> self._maximum(name)", "fuzz cycle",
    ),
    Mutation(
        "negotiator/matching/conditions.py",
        "meets(ad, request, context) and meets(request, ad, context)",
        "meets(ad, request, context)", "fuzz engines",
    ),
    Mutation(
        "negotiator/columns/engine.py", "            bits ^= those\n", "",
        "tests tests/negotiator/test_engines.py",
    ),
    Mutation(
        "negotiator/matching/concurrency.py", "increment if increment > 0 else 1.0", "1.0",
        "tests tests/negotiator/test_cycle.py",
    ),
    Mutation(
        "negotiator/pool/trimming.py", "c_int(remaining) > 0", "remaining > 0", _WILD,
    ),
    Mutation(
        "negotiator/pool/size.py",
        "return 1.0 if cpus is None else", "return 0.0 if cpus is None else", _WILD,
    ),
    Mutation(
        "negotiator/pool/projection.py", "return not policy.consider_preemption and slot.state",
        "return False and slot.state", _WILD,
    ),
    Mutation(
        "negotiator/expressions/flattening.py",
        "        if self._matters(ad):\n", "        if False:\n", _WILD,
    ),
    Mutation(
        "negotiator/expressions/regrouping.py", "return truth(value) in (ERROR, True)",
        "return False", "tests tests/negotiator/test_flattening.py",
    ),
    Mutation(
        "negotiator/pool/slots.py", "return half_match(ad, other, context)",
        'return ad.get_bool("Requirements", other, context) is True', _WILD,
    ),
    # ---- tables
    Mutation(
        "classad/table/sampling/programs.py", "0 if value is UNDEFINED else ERROR", "0",
        "tests tests/classad/test_table_members.py",
    ),
    Mutation(
        "classad/table/store/placed.py", "not self._absent.isdisjoint(self.names)", "False",
        "tests tests/classad/test_table_overlaid.py",
    ),
    Mutation(
        "classad/table/store/placed.py", "self._keys[name] = list(map(cell_key, column.values))",
        "pass", "tests tests/classad/test_table_overlaid.py",
    ),
    Mutation(
        "classad/table/store/store.py",
        "        self._replace_in_pieces(row, ad, changed)\n", "",
        "tests tests/classad/test_table_ownlists.py",
    ),
    Mutation(
        "classad/table/answers/own_ad_lists.py", "lists.members.isdisjoint(ad._attrs)", "True",
        "tests tests/classad/test_table_ownlists.py",
    ),
    # ---- what the net of random tables and often evaluated expressions has to catch
    Mutation(
        "classad/compiled/python_source.py",
        "state.left is None and ad._chained is None and ad._parent is None",
        "state.left is None and ad._chained is None", _OFTEN,
    ),
    Mutation(
        "classad/compiled/python_source.py", "lines += [f\"if {closed.format('my')}\", \"else:",
        "lines += [\"if 0: get_my = NONE\", \"else:", _OFTEN,
    ),
    Mutation(
        "classad/compiled/python_source.py", "in ad._attrs or ad._chained is not None: get_{0}",
        "in ad._attrs: get_{0}", _OFTEN,
    ),
    Mutation(
        "classad/compiled/python_source.py", "                f\"if {closed.format('target')}\",\n",
        "                \"if 0: get_target = NONE\",\n", _OFTEN,
    ),
    Mutation(
        "classad/compiled/python_source.py",
        "if {so_far} is {go} and {name} is {stop} else {joined}",
        "if {name} is {stop} else {joined}", _OFTEN,
    ),
    Mutation(
        "classad/compiled/runtime.py",
        "state.left is not None and ad._chained is None and \"target\"",
        "state.left is not None and \"target\"", _OFTEN,
    ),
    Mutation(
        "classad/compiled/runtime.py", "if ad._chained is None and ad._parent is None:",
        "if ad._chained is None:", _OFTEN,
    ),
    Mutation(
        "classad/compiled/runtime.py",
        "value: ClassAdValue = run(ad, state)\n    state.ad = ad\n",
        "value: ClassAdValue = run(ad, state)\n", _OFTEN,
    ),
    Mutation(
        "classad/compiled/python_source.py",
        "            self.put(\"state.ad = ad\")\n", "", _OFTEN,
    ),
    Mutation(
        "classad/table/answers/predicates.py", "decided | part.decided, bad | part.bad",
        "decided | part.decided, part.bad", _ONE_BY_ONE,
    ),
    Mutation(
        "classad/table/answers/requirements.py", "opaque |= verdict.opaque\n                chance",
        "opaque = verdict.opaque\n                chance", _ONE_BY_ONE,
    ),
    Mutation(
        "classad/table/answers/predicates.py", "c.bad | c.true & a.bad | c.false & b.bad",
        "c.bad | c.true & a.bad", _LOGIC,
    ),
    Mutation(
        "classad/table/answers/valuations.py",
        "made_of = (node.operator, left.uid, right.uid)",
        "made_of = (left.uid, right.uid)",
        _ONE_BY_ONE,
    ),
    Mutation(
        "classad/table/dependence/partner.py",
        "self.known.get(self.key_of(partner.keys))",
        "next(iter(self.known.values()), None)",
        _ONE_BY_ONE,
    ),
    Mutation(
        "classad/table/dependence/plans.py",
        "        asked = _in_order(self.asked, self.exact, self.clock)\n",
        "        asked = _in_order(self.asked, self.exact, False)\n",
        "tests tests/classad/test_table_clock.py",
    ),
    Mutation(
        "classad/table/sampling/programs.py",
        "varied or any(name in self.columns or self._reads(item) for name, item in items)",
        "varied",
        _ONE_BY_ONE,
    ),
    Mutation(
        "classad/table/answers/valuations.py",
        'table = found.numbers.get(convert)',
        'table = next(iter(found.numbers.values()), None)',
        _ONE_BY_ONE,
    ),
    Mutation(
        "classad/table/answers/valuations.py",
        "self._codes.get(plan)",
        "next(iter(self._codes.values()), None)",
        "tests tests/classad/test_table_sums.py",
    ),
    Mutation(
        "classad/table/arrays/vectors.py",
        "first, last = ask(0), ask(end - 1)",
        "first, last = ask(0), ask(0)",
        "tests tests/classad/test_table_quick.py",
    ),
    Mutation(
        "classad/table/arrays/vectors.py",
        'pick(array("B", self.tags), places).tobytes()', "bytes(self.tags[:1]) * len(places)",
        "tests tests/classad/test_table_sums.py",
    ),
    Mutation(
        "classad/evaluation/reference.py",
        "found = self.follow(value, ad, owner)\n        self.depth -= 1",
        "found = self.follow(value, ad, owner)", _DEPTH,
    ),
    Mutation(
        "classad/evaluation/reference.py", "    state.depth, state.root_ad = depth, root\n",
        "    state.root_ad = root\n", _DEPTH,
    ),
    Mutation(
        "classad/evaluation/state.py",
        "self.depth, active, self.guests, self.root_ad, self.lexical = place",
        "_, active, self.guests, self.root_ad, self.lexical = place", _DEPTH,
    ),
    Mutation(
        "classad/builtins/time.py", "    \"splitTime\",\n    args=1,\n    reads=ZONE,",
        "    \"splitTime\",\n    args=1,", _CLOCK,
    ),
    Mutation(
        "classad/table/dependence/partner.py",
        "(float, context.now, context.tz)", "(float, context.now)", _CLOCK,
    ),
    Mutation(
        "classad/table/answers/joint_verdicts.py",
        "self.ask_for(tuple(dict.fromkeys(asked)))",
        "self.ask_for(tuple({*asked} - {INSTANT}))", _CLOCK,
    ),
    Mutation(
        "classad/table/dependence/plans.py", "        self.clock |= item.clock\n", "", _CLOCK,
    ),
    # ---- the C core
    Mutation(
        "csrc/operate.c", "z == (double)INFINITY || op", "op",
        "tests tests/classad/test_table_vectors.py",
    ),
    Mutation(
        _SELECT, "return sorted->stable && left < right;", "return sorted->stable && left > right;",
        "fuzz kernels",
    ),
    Mutation(
        _SELECT, "        if (sorted->stable && (a != a) != (b != b))\n            return b != b;",
        "", "fuzz kernels",
    ),
    Mutation(
        _SELECT, "enum { INSERTION_LENGTH = 16 };", "enum { INSERTION_LENGTH = 15 };",
        "fuzz kernels",
    ),
    Mutation(
        _SELECT, "if (length % 2 == 0 && child == (length - 2) / 2)", "if (0)",
        "tests tests/csrc/test_kernels.py",
    ),
    Mutation(
        "csrc/load.c", "scale += below ? -exponent : exponent;", "scale += exponent;",
        "tests tests/csrc/test_load.py",
    ),
    Mutation(
        "csrc/load.c", "value / TEN[-scale]", "value * (1 / TEN[-scale])",
        "tests tests/csrc/test_load.py",
    ),
    Mutation(
        "csrc/load.c", "*dropping = !blank;", "*dropping = 0;", "tests tests/csrc/test_load.py",
    ),
    Mutation(
        "csrc/lex.c", "ca_same_word(word, \"isnt\", 4) ? CA_T_META_NOT_EQUAL",
        "ca_same_word(word, \"isnt\", 4) ? CA_T_META_EQUAL",
        "tests tests/csrc/test_parse.py",
    ),
    Mutation(
        "csrc/lex.c", "            at += 2;\n        } else {",
        "            at += 1;\n        } else {",
        "tests tests/csrc/test_parse.py",
    ),
    # ---- the schedd's side of a session
    Mutation(
        "negotiator/jobs/autoclusters.py", "more = known.referred and _there(job, known.referred)",
        "more = ()", "tests tests/negotiator/test_joblists.py",
    ),
    Mutation(
        "negotiator/jobs/requests.py", "            self.room.accepted += 1\n", "",
        "tests tests/negotiator/test_wild.py -k corner-max-jobs",
    ),
    Mutation(
        "negotiator/jobs/offers.py",
        "listed = self.jobs.listed", "listed = self.jobs.waiting",
        "tests tests/negotiator/test_offers.py",
    ),
    Mutation(
        "negotiator/jobs/requests.py", "                passed.append(job)\n", "",
        "tests tests/negotiator/test_offers.py",
    ),
    Mutation(
        "negotiator/jobs/offers.py",
        "rest[: self._may_offer] if grouped else rest[:1]", "rest[:1]",
        "tests tests/negotiator/test_offers.py",
    ),
    Mutation(
        "negotiator/jobs/offers.py",
        "            if key == refused:\n                continue\n", "",
        "tests tests/negotiator/test_offers.py",
    ),
    Mutation(
        "negotiator/jobs/offers.py", "known = key if jobs.all_in_cluster else", "known =",
        "tests tests/negotiator/test_offers.py",
    ),
    Mutation(
        "negotiator/jobs/submitters.py", "if prios is None:", "if not prios:",
        "conform tests/vectors/negotiation/global-job-prios-none-told.json",
    ),
    Mutation(
        "negotiator/matching/choice.py", "again = still_fitting(board, candidate, request, asker)",
        "again = None", "conform tests/vectors/negotiation/put-back-slot-is-not-asked-again.json",
    ),
    Mutation(
        "negotiator/matching/choice.py", "Tally()):\n            continue\n",
        "Tally()):\n            kept.tally.refused[Refusal.SUBMITTER_LIMIT] += 1\n"
        "            continue\n",
        "conform tests/vectors/negotiation/limits-of-the-slot-before-the-submitter-limit.json",
    ),
    Mutation(
        "negotiator/matching/choice.py", "first_kind=found", "first_kind=None",
        "conform tests/vectors/negotiation/put-back-slot-is-bound-as-found.json",
    ),
    Mutation(
        "negotiator/scenario/warm.py", "else max(float(elapsed), 1.0)", "else float(elapsed)",
        "conform tests/vectors/negotiation/group-turns-cycle-after-cycle.json",
    ),
    Mutation(
        "negotiator/expressions/flattening.py",
        "                todo += map(attributes.get, words)\n", "                break\n",
        "conform tests/vectors/negotiation/requirements-read-through-a-helper.json",
    ),
    Mutation(
        "negotiator/pool/partitionable.py", "    if not children:\n        return None\n", "",
        "conform tests/vectors/negotiation/pslot-preemption-no-child-could-go.json",
    ),
    Mutation(
        "negotiator/jobs/weights.py", "if not policy.schedd_use_slot_weight:", "if False:",
        "conform tests/vectors/negotiation/schedd-without-slot-weights.json",
    ),
    Mutation(
        "negotiator/jobs/offers.py", "                self._looks_on = True\n", "",
        "conform tests/vectors/negotiation/uploads-after-results.json",
    ),
    Mutation(
        "negotiator/jobs/submitters.py", "for prio in prios}, reverse=True)", "for prio in prios})",
        "conform tests/vectors/negotiation/global-job-prios-18-ads.json",
    ),
    Mutation(
        "negotiator/scenario/read.py", "str(heard.get((submitter, schedd), 0))", "str(0)",
        "conform tests/vectors/negotiation/submitter-ads-of-two-seconds.json",
    ),
    Mutation(
        "negotiator/sessions/session.py", "served += step if session.jobs.counts else 1",
        "served += step", "tests tests/negotiator/test_wild.py -k corner-depth-first",
    ),
    Mutation(
        "negotiator/jobs/weights.py", "evaluate(self.of_slots, _filled(job), context=_CONTEXT)",
        "evaluate(self.of_slots, job, context=_CONTEXT)", "tests tests/negotiator/test_weights.py",
    ),
    Mutation(
        "policy/values/operators.py", "overlap = x[0] <= y[1] and", "overlap = x[0] < y[1] and",
        "tests tests/policy/test_values.py",
    ),
    Mutation(
        "policy/values/operators.py", "if whole[0] < INT_MIN or whole[1] > INT_MAX:", "if False:",
        "tests tests/policy/test_values.py",
    ),
    Mutation(
        "policy/values/refine.py", 'nan = (symbol == "!=") is outcome', "nan = outcome",
        "tests tests/policy/test_values.py",
    ),
    Mutation(
        "policy/values/surroundings.py", '("", folded), evolve(either, undefined=True)',
        '("", folded), either', "tests tests/policy/test_values.py",
    ),
    Mutation(
        "policy/values/evaluation.py", "right = self._by_itself(node.right)",
        "right = self.of(node.right)", "tests tests/policy/test_values.py",
    ),
    Mutation(
        "policy/values/units.py", "return SECONDS", "return DATE",
        "tests tests/policy/test_values.py -k units",
    ),
    Mutation(
        "policy/language/origins.py", "at[site.end - 1] + 1", "at[site.end - 1]",
        "tests tests/policy/test_origins.py",
    ),
    Mutation(
        "policy/lint/companions.py", "return not manages or", "return",
        "tests tests/policy/test_findings_corpus.py -k clean_configuration",
    ),
    Mutation(
        "policy/lint/slots.py", "0 < int(cpus) < needed", "0 < int(cpus) <= needed",
        "tests tests/policy/test_lint.py -k P243",
    ),
    Mutation(
        "policy/knobs/readers.py", '_DIGITS.sub("1", folded)', '_DIGITS.sub("0", folded)',
        "tests tests/policy/test_lint.py -k own_verdict",
    ),
    Mutation(
        "policy/language/table.py", "same = folded == definition.raw.casefold()", "same = False",
        "tests tests/pieslice/test_policy_listing.py -k repeats",
    ),
    Mutation(
        "policy/lint/holes.py", 'if folded in _RUNTIME or "." in name:', 'if "." in name:',
        "tests tests/policy/test_lint.py -k runtime",
    ),
)  # fmt: skip
