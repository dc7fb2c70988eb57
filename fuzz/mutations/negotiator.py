"""Lists the bugs to plant in negotiator/: the negotiation cycle.

Outputs: ``MUTATIONS``.
"""

from __future__ import annotations

from typing import Final

from fuzz.mutations.mutation import Mutation

#: Recorded scenarios, of which some show one rule each.
_WILD: Final = "tests tests/negotiator/test_wild.py"

MUTATIONS: Final = (
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
        "negotiator/accounting/accountant.py", "0.5 ** (elapsed / half_life)",
        "0.5 ** (elapsed / half_life / 2)", "tests tests/negotiator/test_accounting.py",
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
        "> self._maximum(name)", "tests tests/negotiator/test_corners.py -k refusal_by_a_limit",
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
        "negotiator/pool/trimming.py", "c_cut(remaining) > 0", "remaining > 0", _WILD,
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
        "        if self.matters(ad):\n", "        if False:\n", _WILD,
    ),
    Mutation(
        "negotiator/expressions/flattening.py",
        "Level.WHOLE if self._read or any(map(_mentions, others)) else", "",
        "tests tests/negotiator/test_flattening.py",
    ),
    Mutation(
        "negotiator/expressions/regrouping.py", "return truth(value) in (ERROR, True)",
        "return False", "tests tests/negotiator/test_flattening.py",
    ),
    Mutation(
        "negotiator/pool/slots.py", "return half_match(ad, other, context)",
        'return ad.get_bool("Requirements", other, context) is True', _WILD,
    ),
    # ---- the schedd's side of a session
    Mutation(
        "negotiator/jobs/autoclusters.py", "more = referred and _there(job, referred)",
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
    # What a schedd has no room for is said to be left out by the job constraint.
    Mutation(
        "negotiator/jobs/offers.py",
        "        if self.jobs.room.left == 0:\n            return Unasked.ROOM\n", "",
        "tests tests/pieslice/test_why_requests.py -k settings",
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
        "            seen |= mentioned\n", "            break\n",
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
        "negotiator/sessions/session.py",
        "served = c_cut(served + step) if session.jobs.counts else served + 1",
        "served = c_cut(served + step)",
        "tests tests/negotiator/test_wild.py -k corner-depth-first",
    ),
    Mutation(
        "negotiator/jobs/weights.py", "evaluate(self.of_slots, _filled(job, self.context),",
        "evaluate(self.of_slots, job,", "tests tests/negotiator/test_weights.py",
    ),
    # ---- captures of running pools
    # Idle jobs that have a match already are offered again.
    Mutation(
        "negotiator/jobs/lists.py",
        "if (queued.cluster, queued.proc) in queue.matched:",
        "if False:",
        "tests tests/pieslice/test_capture.py -k jobs_with_a_match",
    ),
    # The claim of a running job counts for an idle one.
    Mutation(
        "negotiator/capture/claims.py",
        "if (name, kind[0]) not in running:",
        "if True:",
        "tests tests/pieslice/test_capture.py -k match",
    ),
    # Slots that stand in the negotiator's order are put into a computed one.
    Mutation(
        "negotiator/capture/slots.py",
        "range(len(names)) if ordered else pool_order(names)",
        "pool_order(names)",
        "tests tests/pieslice/test_capture.py -k order_is",
    ),
    # Requirements with a thousand operators overflow the stack.
    Mutation(
        "negotiator/expressions/regrouping.py", "if nodes.height(tree.node) > _TALL:", "if False:",
        "tests tests/pieslice/test_hostile_input.py -k deep_requirements",
    ),
    # ---- groups: who stands in the way, and whose turn it is
    Mutation(
        "negotiator/groups/rounds.py",
        "cap = at.settings.quota if at.settings.static else",
        "cap = min(at.settings.quota, at.subtree_quota) if at.settings.static else",
        "tests tests/negotiator/test_rounds.py -k configured_as",
    ),
    Mutation(
        "negotiator/groups/rounds.py", "            n = max_delta\n", "            n = n + 0\n",
        "tests tests/negotiator/test_rounds.py -k last_pass",
    ),
    Mutation(
        "negotiator/groups/whole_slots.py",
        "group.subtree_rr_time = group.rr_time if group.requested > 0 else _NEVER",
        "group.subtree_rr_time = group.rr_time",
        "tests tests/negotiator/test_rounds.py -k wait_less",
    ),
    Mutation(
        "negotiator/sessions/pie.py", "float32(float32(self.limit) - float32(self.usage))",
        "float32(float(self.limit) - float32(self.usage))",
        "tests tests/negotiator/test_pie.py -k single_precision",
    ),
    # ---- searches that end early
    Mutation(
        "negotiator/matching/candidates.py",
        "            if weight > allowance.limit:\n",
        "            if weight > allowance.limit - allowance.used:\n",
        "tests tests/negotiator/test_corners.py -k search",
    ),
    Mutation(
        "negotiator/columns/engine.py", "            seen.clear()\n", "",
        "tests tests/negotiator/test_corners.py -k comes_to_the_end",
    ),
    # ---- limits, lists, dynamic slots
    Mutation(
        "negotiator/matching/candidates.py", "    if text.lower() == tally.concurrency_text:",
        "    if text == tally.concurrency_text:",
        "tests tests/negotiator/test_corners.py -k counted_once",
    ),
    Mutation(
        "negotiator/matching/choice.py",
        "    board.concurrency.full.clear()\n    kept = list_for", "    kept = list_for",
        "tests tests/negotiator/test_corners.py -k forgotten",
    ),
    Mutation(
        "negotiator/matching/choice.py", "    return rank == entry.keys.preemption",
        "    return rank <= entry.keys.preemption",
        "tests tests/negotiator/test_match_list.py -k rank",
    ),
    Mutation(
        "negotiator/matching/concurrency.py", "_NUMBER.match(amount)", "_NUMBER.fullmatch(amount)",
        "tests tests/negotiator/test_match_list.py -k limits",
    ),
    Mutation(
        "negotiator/matching/candidates.py",
        "if child is None or child.user == asker.submitter or wanted is None:",
        "if child is None or child.user == asker.submitter:",
        "tests tests/negotiator/test_partitionable.py -k has_to_go",
    ),
    # ---- records
    Mutation(
        "negotiator/accounting/records.py",
        "!= (record.resources_used, record.weighted_resources_used)",
        "> (record.resources_used, record.weighted_resources_used)",
        "tests tests/negotiator/test_accounting.py -k less_usage",
    ),
    Mutation(
        "negotiator/accounting/log.py",
        "        if resource != known:", "        if known is None:",
        "tests tests/negotiator/test_accountantlog.py -k claim_that",
    ),
    Mutation(
        "negotiator/accounting/accountant.py",
        "factor = stored(priority_factor(name, group, settings))",
        "factor = priority_factor(name, group, settings)",
        "tests tests/negotiator/test_accounting.py -k factors",
    ),
    # ---- submitter ads
    Mutation(
        "negotiator/jobs/submitters.py", "demand += count if weighted is None else weighted",
        "demand += weighted or count",
        "tests tests/negotiator/test_submitters.py -k demand",
    ),
    Mutation(
        "negotiator/jobs/submitters.py",
        "[0 if number is None else saturated(number[0]) for number in numbers]",
        "[saturated(number[0]) for number in numbers if number is not None]",
        "tests tests/negotiator/test_submitters.py -k each_priority",
    ),
    # ---- PREEMPTION_RANK in columns
    Mutation(
        "negotiator/columns/rank_keys.py",
        "Key(values, codes, kinds, NOT_PREEMPTED) if rule.preempted_only else Key(values, codes)",
        "Key(values, codes)",
        "tests tests/negotiator/test_preemption_rank.py -k nobody_holds",
    ),
    Mutation(
        "negotiator/columns/rank_keys.py", "preempted if rule.preempted_only else passed.bits",
        "passed.by_priority if rule.preempted_only else passed.bits",
        "tests tests/negotiator/test_preemption_rank.py -k held_go",
    ),
)  # fmt: skip
