"""Lists the bugs to plant in policy/: configurations and their checks.

Outputs: ``MUTATIONS``.
"""

from __future__ import annotations

from typing import Final

from fuzz.mutations.mutation import Mutation

MUTATIONS: Final = (
    Mutation(
        "policy/values/surroundings.py", "if self.submitted and moment is Moment.LATER:",
        "if moment is Moment.LATER:", "tests tests/policy/test_lint.py",
    ),
    Mutation(
        "policy/lint/verdict.py", "if unreadable and not asked and len(daemons) == 1",
        "if False and not asked and len(daemons) == 1", "tests tests/policy/test_lint.py",
    ),
    Mutation(
        "policy/lint/choices.py", "0 < most < least", "0 < least < most",
        "tests tests/policy/test_lint.py",
    ),
    Mutation(
        "policy/values/operators.py", "overlap = x[0] <= y[1] and", "overlap = x[0] < y[1] and",
        "tests tests/policy/test_values.py",
    ),
    Mutation(
        "policy/values/operators.py", "if whole[0] < INT_MIN or whole[1] > INT_MAX:", "if False:",
        "tests tests/policy/test_narrow_values.py",
    ),
    Mutation(
        "policy/values/refine.py", 'nan = (symbol == "!=") is outcome', "nan = outcome",
        "tests tests/policy/test_narrow_values.py",
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
        "policy/lint/slots.py", "0 < cpus < needed", "0 < cpus <= needed",
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
    Mutation(
        "policy/lint/fragments.py", "_ENOUGH: Final = 2", "_ENOUGH: Final = 1",
        "tests tests/policy/test_lint.py -k no_fragment",
    ),
    Mutation(
        "policy/lint/causes.py", "cause = direct[id(cause)]", "break",
        "tests tests/policy/test_lint.py -k one_block",
    ),
    Mutation(
        "policy/explain/conclusions.py", "if True not in found.truths:", "if not found.truths:",
        "tests tests/pieslice/test_policy_explain.py -k conclusions",
    ),
    Mutation(
        "policy/lint/bodies.py", "behind = behind if start is None else start + len(text)", "pass",
        "tests tests/policy/test_lint.py -k transforms_are_found",
    ),
    Mutation(
        "policy/lint/spelling.py", "return found.pop() if len(found) == 1 else None",
        "return found.pop() if found else None",
        "tests tests/policy/test_spelling.py -k fits_two",
    ),
    # Checks recurse into chains of thousands of operators.
    Mutation(
        "policy/lint/findings.py", "if not one.is_too_deep)", "if one.height)",
        "tests tests/pieslice/test_hostile_input.py -k chains",
    ),
    # ---- values of macros that are kept for others
    Mutation(
        "policy/language/macros.py",
        "        value = text[region.start : len(text) - region.rest]",
        "        value = text[region.start : len(text) - region.rest].strip()",
        "tests tests/policy/test_expansion.py -k kept",
    ),
    Mutation(
        "policy/language/macros.py",
        "            replaced += 1\n            called = replaced if found.function else called",
        "            called = replaced if found.function else called\n            replaced += 1",
        "tests tests/policy/test_expansion.py -k kept",
    ),
    Mutation(
        "policy/language/macros.py", "value, replaced = done.text, replaced + done.replacements",
        "value, replaced = done.text, replaced",
        "tests tests/policy/test_expansion.py -k count_with",
    ),
)  # fmt: skip
