"""Lists the bugs to plant in classad/: the language and its tables.

Outputs: ``MUTATIONS``.
"""

from __future__ import annotations

from typing import Final

from fuzz.mutations.mutation import Mutation

_OPERATORS: Final = "classad/language/operators.py"
_VALUES: Final = "classad/language/values.py"
_VECTORS: Final = "conform tests/vectors/classad"
_FOUND: Final = "tests tests/classad/test_found_by_fuzzing.py"
_COMPILED: Final = "tests tests/classad/test_compiled_values.py"
#: What compares every fast way of many ads, and of one evaluated often, with the definition.
_ONE_BY_ONE: Final = "tests tests/classad/test_table_one_by_one.py"
_LOGIC: Final = "tests tests/classad/test_table_logic.py"
_CLOCK: Final = "tests tests/classad/test_table_clock.py"
_OFTEN: Final = "tests tests/classad/test_eval_often.py"
_DEPTH: Final = "tests tests/classad/test_eval_depth.py"
_READING: Final = "tests tests/classad/test_reading_memory.py"
_BOUNDS: Final = "tests tests/classad/test_bounds.py"
_READ: Final = "tests tests/classad/test_reading_limit.py"

MUTATIONS: Final = (
    # ---- verdicts joined after many partners
    Mutation(
        "classad/table/answers/requirements.py",
        "whole = JointVerdicts([it for each in alike for it in each.predicates], budget)",
        "whole = JointVerdicts([it for each in alike[1:] for it in each.predicates], budget)",
        _ONE_BY_ONE,
    ),
    # ---- the evaluator
    Mutation(
        _OPERATORS, "return ERROR if x == inf else x", "return x", f"{_VECTORS}/op_real.jsonl",
    ),
    Mutation(_OPERATORS, "if a == INT_MIN and b == -1:", "if False:", f"{_VECTORS}/op_int.jsonl"),
    Mutation(
        _VALUES, "quotient if (a < 0) == (b < 0) else -quotient", "quotient",
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
        _OPERATORS, "    if ca is not b.__class__ and not (_is_ad(a) and _is_ad(b)):",
        "    if ca is not b.__class__ and not {ca, b.__class__} <= _NUMBERS:",
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
        "classad/builtins/lists.py",
        "            if outcome is UNDEFINED:\n                return False",
        "            if outcome is UNDEFINED:\n                continue",
        f"{_VECTORS}/fn_good.jsonl",
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
    # ---- tables
    Mutation(
        "classad/frames/table.py",
        "with self._lock:\n            return method(self, *args, **kwargs)",
        "if self._lock:\n            return method(self, *args, **kwargs)",
        "tests tests/classad/test_table_citizen.py",
    ),
    # What only a companion says of an attribute that few have is not read.
    Mutation(
        "classad/frames/reading.py", "        there = compute.or_(there, exact.is_valid())\n",
        "        pass\n", "tests tests/classad/test_table_arrow.py -k few",
    ),
    # Of an attribute that few have, chosen rows get what other rows have.
    Mutation(
        "classad/frames/scattered.py", "pick(column.codes, places)", "column.codes",
        "tests tests/classad/test_table_arrow.py -k few",
    ),
    Mutation(
        "classad/frames/pickling.py", "ad.chain(ads[row.parent])", "pass",
        "tests tests/classad/test_table_citizen.py",
    ),
    Mutation(
        "classad/table/dependence/plans.py", "if len(open_names) > _ROOM:", "if False:",
        "tests tests/classad/test_table_citizen.py",
    ),
    Mutation(
        "classad/builtins/ads.py", "        members = ERROR\n", "        members = UNDEFINED\n",
        "tests tests/classad/test_table_citizen.py",
    ),
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
        "classad/table/answers/own_ad_lists.py", "self._members.isdisjoint(ad._attrs)", "True",
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
        "classad/compiled/runtime.py", "if state.left is not None and ad._chained is None:",
        "if state.left is not None:", _OFTEN,
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
        "found = self.follow(value, ad, owner)\n        self.depth -= self.reference",
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
        "(float, context.now, context.tz, alone)", "(float, context.now, alone)", _CLOCK,
    ),
    Mutation(
        "classad/table/answers/requirements.py",
        "self.ask_for(tuple(dict.fromkeys(asked)))",
        "self.ask_for(tuple({*asked} - {INSTANT}))", _CLOCK,
    ),
    Mutation(
        "classad/table/dependence/plans.py", "        self.clock |= item.clock\n", "", _CLOCK,
    ),
    Mutation(
        "classad/formats/long.py",
        "return Expression.from_node(node), problem.diagnostic",
        "return Expression.from_node(node), None",
        "tests tests/classad/test_traps.py",
    ),
    Mutation(
        "classad/formats/common.py",
        'yield first + "\\n"',
        "yield first",
        "tests tests/classad/test_traps.py",
    ),
    Mutation(
        "classad/v1.py",
        "return _out(super().__getitem__(key), self)",
        "return _out(super().__getitem__(key))",
        "tests tests/classad/test_v1.py",
    ),
    Mutation(
        "classad/foreign.py",
        "if name.startswith(mark):",
        "if name == mark:",
        "tests tests/classad/test_foreign.py",
    ),
    # ---- limits of a caller
    # An evaluation that follows attributes looks at the clock.
    Mutation(
        "classad/compiled/state.py", "        if bounds.entered:", "        if False:",
        f"{_BOUNDS} -k compiled",
    ),
    Mutation(
        "classad/evaluation/reference.py", "    if bounds.entered:", "    if False:",
        f"{_BOUNDS} -k exact",
    ),
    # A block inside another one does not prolong it.
    Mutation(
        "classad/language/bounds.py",
        "(self.deadline or around.deadline) >= around.deadline",
        "(self.deadline or around.deadline) < around.deadline",
        f"{_BOUNDS} -k lower",
    ),
    # What a block has counted is taken back.
    Mutation(
        "classad/language/bounds.py", "        self._count(-1)", "        self._count(0)",
        f"{_BOUNDS} -k hostile",
    ),
    # A text is too long before it is made.
    Mutation(
        "classad/language/bounds.py", "resident() + more > ", "resident() > ", f"{_BOUNDS} -k fit",
    ),
    # The place behind the last character may be where a pattern matches.
    Mutation(
        "classad/builtins/pcre.py",
        "range(start, len(subject) + 1)",
        "range(start, len(subject))",
        f"{_BOUNDS} -k same",
    ),
    # Such patterns mean something else place by place.
    Mutation(
        "classad/builtins/pcre.py", 'b"(*" not in raw and', "True and", f"{_BOUNDS} -k by_place",
    ),
    # A file is read in steps.
    Mutation(
        "classad/files/ads.py", '        checkpoint("reading ads")\n', "",
        "tests tests/pieslice/test_limits.py -k in_time",
    ),
    # What is read and kept takes no more than it may.
    Mutation(
        "classad/formats/held.py", "        if self._open > _GROUP:", "        if False:",
        f"{_READ} -k take_too_much",
    ),
    Mutation(
        "classad/formats/held.py", " if group[0]() is not None]", "]", f"{_READ} -k gone",
    ),
    Mutation(
        "classad/formats/held.py", "            gc.collect()", "            pass",
        f"{_READ} -k lists",
    ),
    Mutation(
        "classad/formats/common.py", "            self.held.add(NAME + len(name))\n", "",
        f"{_READ} -k before_it_is_whole",
    ),
    Mutation(
        "classad/syntax/parser.py", "    if len(text) > _LONG:", "    if False:",
        f"{_READ} -k too_many_parts",
    ),
    Mutation(
        "classad/loading/long_form.py", "        if COLUMN * store", "        if 0 * store",
        f"{_READ} -k columns",
    ),
    # A group that may give back what it took remembers each character of a text.
    Mutation(
        "classad/formats/json.py", r"|\\[^u]|(?!))*+", r"|\\[^u]|(?!))*", f"{_READING} -k escapes",
    ),
    Mutation(
        "classad/formats/ordinary.py",
        r'''"(?:[^"\\\0]++|\\[^\0]|(?!))*+"''',
        r'''"(?>(?:[^"\\\0]|\\[^\0])*)"''',
        f"{_READING} -k texts",
    ),
    # Ads that the grammar reads have names of their own.
    Mutation(
        "classad/formats/common.py", "        ad._names = names\n", "", f"{_READING} -k slots",
    ),
    # Two processes write to one file.
    Mutation(
        "classad/files/lock.py", "        lock.acquire(blocking=False)\n", "        pass\n",
        "tests tests/pieslice/test_processes.py -k second_recorder",
    ),
    # Evaluating in a table without rows is an internal error.
    Mutation(
        "classad/table/answers/valuations.py", "        if len(found) == 1:\n",
        "        if len(found) <= 1:\n",
        "tests tests/pieslice/test_hostile_input.py -k without_rows",
    ),
    # An ad that is written in a free expression has no ad around it.
    Mutation(
        "classad/analysis/flatten.py",
        "return None if self.free and ad is self.state.start and not self.active else ad",
        "return ad",
        "tests tests/classad/test_flatten.py -k left",
    ),
    # A span that is added to a time is cast to 32 bits.
    Mutation(
        "classad/language/operators.py",
        "return _shift(a, -int32_of_real(b.secs))", "return _shift(a, int32_of_real(-b.secs))",
        "tests tests/classad/test_times.py -k moved",
    ),
    # Both ads of a match hold the same expression, which then is under way in each.
    Mutation(
        "classad/compiled/state.py",
        "        if before is None:\n            del active[mark]\n        else:\n"
        "            active[mark] = before\n",
        "        del active[mark]\n",
        "tests tests/classad/test_shared_trees.py -k under_way",
    ),
    Mutation(
        "classad/compiled/python_source.py", "if depth >= MAX_NESTING or", "if depth >= 50 or",
        "tests tests/classad/test_compiled_values.py -k no_room",
    ),
)  # fmt: skip
