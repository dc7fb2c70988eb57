"""Lists the changes that change nothing, each with its reason.

Outputs: ``EQUIVALENT``, by file, text of the line, the change as it is printed.
"""

from __future__ import annotations

from typing import Final

EQUIVALENT: Final[dict[tuple[str, str, str], str]] = {
    (
        "classad/compiled/operations.py",
        "_SMALL: Final = 2**30",
        "constant: 30 -> 31",
    ): "a bound of speed alone: numbers within 64 bits stay as they are when they are wrapped",
    (
        "classad/analysis/explanation.py",
        "values = max((len(line.value) for line in lines if line.remark), default=0)",
        "constant: 0 -> 1",
    ): "without a remark nothing comes behind the values, and blanks at the end are cut off",
    (
        "classad/formats/ordinary.py",
        "return True",
        "constant: True -> False",
    ): "only speed: the parser reads the text again, to the same attributes of the same ad",
    (
        "classad/formats/xml_scalars.py",
        "if known is not None:",
        "guard: known is not None -> False",
    ): "a memo: the text that was seen before is parsed again, to an equal tree",
    (
        "classad/language/limits.py",
        "_usual_limit = 0",
        "constant: 0 -> 1",
    ): "the first borrower of frames sets it before anybody reads it",
    (
        "classad/language/operators.py",
        "return -rest if a < 0 else rest",
        "comparison: a < 0 -> (a <= 0)",
    ): "only 0 is treated otherwise, and its remainder is 0, whose negative is 0",
    (
        "classad/language/times.py",
        'if zone is None or zone == "UTC":',
        "connective: zone is None or zone == \"UTC\" -> (zone is None and zone == 'UTC')",
    ): "a short cut: UTC from the zone data has the same offset and name",
    (
        "classad/compiled/operations.py",
        'if whole == "True":',
        'guard: whole == "True" -> False',
    ): "only speed: the code for other kinds stands behind code that is always taken",
    (
        "classad/compiled/operations.py",
        "whole = any(kind in (int, bool) for kind in fixed)",
        "function: any -> all",
    ): "only speed: an integer and a real of unknown kinds are left to the general function",
    (
        "classad/loading/long_form.py",
        "self._wait = 0",
        "constant: 0 -> 1",
    ): "only speed: the reader takes one ad itself before it looks for ordinary ones",
    (
        "classad/table/store/placed.py",
        "used, codes = in_use(pick(codes, places), len(base.values) + 1)",
        "constant: 1 -> 2",
    ): "a bound of codes, one higher than the highest",
    (
        "classad/loading/cells.py",
        "self.place: Place = SimpleNamespace(position=0, line=1, start=0, block=0, dropping=False)",
        "constant: 0 -> 1",
    ): "`open` and `feed` set all three before anything reads them",
    (
        "classad/syntax/nodes.py",
        "if a is b:",
        "guard: a is b -> False",
    ): "two names of one tree are equal: the guard only saves walking through it",
    (
        "classad/table/table.py",
        "return 0, store.everything.bits",
        "constant: 0 -> 1",
    ): "rows that are asked one by one are taken out of what was found before",
    (
        "classad/table/answers/requirements.py",
        "return (bits if value is not None and is_true(value) else 0), 0, False",
        "constant: False -> True",
    ): "only speed: where chance may decide, each row is asked, which answers the same",
    (
        "classad/table/answers/requirements.py",
        "_Share(part, names, rows, task.level + 2 + part.level)",
        "constant: 2 -> 3",
    ): "only speed: rows whose conjuncts count as too far down are asked, and answer the same",
    (
        "classad/table/sampling/sampler.py",
        "if ready.apart is None or ready.apart[0] is not row:",
        "constant: 0 -> 1",
    ): "a memo: the ad with trees of its own is made again, and is equal",
    (
        "classad/table/dependence/conjuncts.py",
        "self._fixed.keep(key, fixed, 300 + 8 * len(fixed))",
        "constant: 300 -> 301",
    ): "an estimate of the bytes of a note, of which one more is as near",
    (
        "classad/table/dependence/conjuncts.py",
        "self._known.keep(text, found, 500 + 8 * len(found))",
        "constant: 500 -> 501",
    ): "an estimate of the bytes of a note, of which one more is as near",
    (
        "classad/table/arrays/arrays.py",
        "bits = bytearray((size + 7) // 8)",
        "constant: 7 -> 8",
    ): "a byte more at the end is a zero, which does not change the number that is made of them",
    (
        "classad/syntax/lexing.py",
        'if "\\\\" not in body:',
        'guard: "\\\\" not in body -> False',
    ): "only speed: without a backslash nothing is replaced",
    (
        "classad/syntax/lexing.py",
        "return self._number(kinds[found.lastindex or 0], start, found.end())",
        "constant: 0 -> 1",
    ): "what matched is one of the groups",
    (
        "classad/syntax/lexing.py",
        "if token.kind == BAD:",
        "guard: token.kind == BAD -> False",
    ): "nobody asks for tokens behind one that is none",
    (
        "classad/syntax/native.py",
        "elif kind == _LIST and len(found) == count:",
        "comparison: len(found) == count -> (len(found) != count)",
    ): "only speed: a list that has no leaves alone is read as a tree",
    (
        "classad/files/log.py",
        "self.transaction = 0",
        "constant: 0 -> 1",
    ): "read only inside a transaction, whose begin sets it",
    (
        "classad/files/log_file.py",
        "fd = os.open(path, _FLAGS | os.O_TRUNC, 0o644)",
        "constant: 0o644 -> 421",
    ): "the file gets the rights of the other one before anything is in it",
    (
        "classad/binding/ad.py",
        "if kind is int or kind is bool or kind is float or (kind is str and value.isascii()):",
        "guard: kind is int or kind is bool or kind is float"
        " or (kind is str and value.isascii())"
        " -> False",
    ): "only speed: what is converted comes out the same",
    (
        "classad/binding/ad.py",
        "if kind is int or kind is bool or kind is float or (kind is str and value.isascii()):",
        "connective: kind is int or kind is bool or kind is float"
        " or (kind is str and value.isascii())"
        " -> (kind is int and kind is bool and (kind is float)"
        " and (kind is str and value.isascii()))",
    ): "only speed: what is converted comes out the same",
    (
        "classad/binding/expr.py",
        "if kind is int or kind is bool or kind is float or (kind is str and value.isascii()):",
        "guard: kind is int or kind is bool or kind is float"
        " or (kind is str and value.isascii())"
        " -> False",
    ): "only speed: what is converted comes out the same",
    (
        "classad/binding/expr.py",
        "if kind is int or kind is bool or kind is float or (kind is str and value.isascii()):",
        "connective: kind is int or kind is bool or kind is float"
        " or (kind is str and value.isascii())"
        " -> (kind is int and kind is bool and (kind is float)"
        " and (kind is str and value.isascii()))",
    ): "only speed: what is converted comes out the same",
    (
        "classad/formats/recovery.py",
        "found = re.compile(pattern, re.MULTILINE).search(self._text, lost + 1)",
        "constant: 1 -> 2",
    ): "an ad begins with its bracket: no line begins right behind its first character",
    (
        "classad/language/times.py",
        "if -49545388800 <= secs <= 240779059200:",
        "constant: 49545388800 -> 49545388801",
    ): "what stands for a second beyond the bounds has the same zone: 400 years are a cycle",
    (
        "classad/language/times.py",
        "if -49545388800 <= secs <= 240779059200:",
        "constant: 240779059200 -> 240779059201",
    ): "what stands for a second beyond the bounds has the same zone: 400 years are a cycle",
    (
        "classad/language/times.py",
        "number = int(digits[::-1]) if digits and len(digits) < 4000 else 0",
        "constant: 4000 -> 4001",
    ): "a number of so many digits counts as 0 either way: it is beyond 32 bits, but for zeros",
    (
        "classad/builtins/pcre.py",
        "if self.quick is not None and len(subject) <= SHORT:",
        "guard: self.quick is not None and len(subject) <= SHORT -> False",
    ): "only speed: the engine finds the same",
    (
        "classad/table/answers/requirements.py",
        "found = Verdict(0, 0, 0, opaque)",
        "constant: 0 -> 1",
    ): "of a joint verdict nothing is read but which rows pass and which are opaque",
    (
        "classad/table/dependence/plans.py",
        "if left < 0 or height > _ROOM:",
        "constant: 0 -> 1",
    ): "a bound of speed alone: beyond it rows are asked one by one, to the same answer",
    (
        "classad/loading/cells.py",
        "self._buffer = (0, ffi.NULL, False)",
        "constant: 0 -> 1",
    ): "`open` sets it before anything reads it",
    (
        "classad/binding/functions.py",
        "stop = len(text) if stop < 0 else stop + 1",
        "constant: 0 -> 1",
    ): "the end of a line is looked for behind the first character of an ad, so it is not at 0",
    (
        "classad/compiled/forms.py",
        "if value.__class__ is int:",
        "guard: value.__class__ is int -> False",
    ): "only speed: what has no form of its own is left to the scalar function of the operator",
    (
        "classad/compiled/compiler.py",
        "tree.height, tree.modest = height, free and height <= FAST_HEIGHT",
        "comparison: height <= FAST_HEIGHT -> (height < FAST_HEIGHT)",
    ): "only speed: an expression of just that height gets a state of its own, to the same value",
    (
        "classad/table/expressions/conjunct_texts.py",
        "if part.count('\"') % 2 or any(map(part.__contains__, _HIDING)):",
        "constant: 2 -> 3",
    ): "only speed: no expression has an odd number of quotes, and then the whole text is read",
    (
        "classad/table/store/parts.py",
        "rest, found, many = self.bits, [], len(by_code) > _MANY",
        "comparison: len(by_code) > _MANY -> (len(by_code) >= _MANY)",
    ): "only speed: which of two ways finds the rows of so many expressions",
    (
        "classad/files/log.py",
        "if _PLAIN_VALUE.fullmatch(text):",
        "guard: _PLAIN_VALUE.fullmatch(text) -> False",
    ): "only speed: the parser reads these values, too",
    (
        "classad/language/time_format.py",
        "if width >= _LIMIT:",
        "comparison: width >= _LIMIT -> (width > _LIMIT)",
    ): "an item of just that width is too long as well, which is found when it is added",
    (
        "classad/language/values.py",
        "return quotient if (a < 0) == (b < 0) else -quotient",
        "comparison: b < 0 -> (b <= 0)",
    ): "only a divisor of 0 is treated otherwise, and that was refused before",
    (
        "classad/language/values.py",
        "return quotient if (a < 0) == (b < 0) else -quotient",
        "comparison: a < 0 -> (a <= 0)",
    ): "the quotient of 0 is 0 with either sign",
    (
        "classad/language/values.py",
        "return quotient if (a < 0) == (b < 0) else -quotient",
        "constant: 0 -> 1",
    ): "only a number of 0, whose quotient is its negative, and a divisor of 0, which was refused",
    (
        "classad/table/contents.py",
        "if self._budget.noted > self._budget.most:",
        "comparison: self._budget.noted > self._budget.most -> "
        "(self._budget.noted >= self._budget.most)",
    ): "a bound of memory alone: whether the last byte of it may be used",
    (
        "classad/syntax/parser.py",
        "if quick is not None:",
        "guard: quick is not None -> False",
    ): "only speed: the parsers in C and in Python read these texts to the same trees",
    (
        "csrc/lex.c",
        "sure = behind > 0;",
        "constant: sure = behind > 0; -> sure = behind > 1;",
    ): "what is escaped in a string is the third character of the text at the earliest",
    (
        "csrc/load.c",
        "for (at++; at < length && exponent < FAR; at++)",
        "comparison: for (at++; at < length && exponent < FAR; at++) -> "
        "for (at++; at < length && exponent <= FAR; at++)",
    ): "a number whose exponent is as far as that waits, however far it is",
    (
        "csrc/load.c",
        "static const int64_t EXACT = INT64_C(1) << 53;",
        "arithmetic: static const int64_t EXACT = INT64_C(1) << 53; -> "
        "static const int64_t EXACT = INT64_C(1) >> 53;",
    ): "only speed: a number that is not read here waits, and is read to the same double",
    (
        "policy/lint/finding.py",
        'begin = max(0, source.text.rfind("\\n", 0, entry.start) - _REACH)',
        "function: max -> min",
    ): "a short cut: the search begins earlier, and the last place found counts",
    (
        "policy/lint/spelling.py",
        "return stem >= _STEM and {one[stem:], other[stem:]} <= _ENDINGS",
        "comparison: {one[stem:], other[stem:]} <= _ENDINGS -> "
        "({one[stem:], other[stem:]} < _ENDINGS)",
    ): "two endings are never all of them",
    (
        "csrc/parse.c",
        "return 1;",
        "constant: return 1; -> return 2;",
    ): "functions of this file that return it answer yes or no, asked only for being zero",
    (
        "csrc/codes.c",
        "for (; slots[slot] != 0; slot = (slot + 1) & (room - 1)) {",
        "constant: for (; slots[slot] != 0; slot = (slot + 1) & (room - 1)) { -> "
        "for (; slots[slot] != 0; slot = (slot + 2) & (room - 1)) {",
    ): "steps of two go over half of the places, which is as many as there can be pairs",
    (
        "csrc/cells.c",
        "for (size_t i = 0; i < length; i++) {",
        "comparison: for (size_t i = 0; i < length; i++) { -> "
        "for (size_t i = 0; i <= length; i++) {",
    ): "one more letter is folded, behind the name; nothing looks at it, and there is room",
    (
        "classad/table/arrays/vectors.py",
        "_SEVERAL = 256",
        "constant: 256 -> 257",
    ): "a bound of speed alone: how many numbers are compared one by one",
    (
        "classad/table/store/columns.py",
        "if len(numbers) < len(values):",
        "comparison: len(numbers) < len(values) -> (len(numbers) <= len(values))",
    ): "a short cut: where all are numbers there are no others to put in order",
    (
        "negotiator/columns/conditions.py",
        "if len(known) >= _MANY:",
        "comparison: len(known) >= _MANY -> (len(known) > _MANY)",
    ): "a bound of memory alone: how many answers are kept",
    (
        "negotiator/pool/size.py",
        'if slot.raw("GhostMultiplier") is None:',
        'guard: slot.raw("GhostMultiplier") is None -> False',
    ): "a short cut: an attribute that is missing has no number either, and counts once",
    (
        "pieslice/simulation/matchmaking_cache.py",
        "slot.claims += 1",
        "constant: 1 -> 2",
    ): "these slots are matched once in a cycle, and it only matters whether there is a claim id",
    (
        "pieslice/simulation/matching.py",
        "used = {user: simulation.state.running.get(user, (0, 0.0))[1] for user in users}",
        "constant: 0 -> 1",
    ): "of a user without jobs only the weight is read, not the number of jobs",
    (
        "pieslice/why/slots/nearest.py",
        "tests = Verdicts.at(halted, kept_list=False)",
        "constant: False -> True",
    ): "limits are asked of kept lists in another way, and only what is without limits is asked",
    (
        "pieslice/simulation/matchmaking_cache.py",
        "_positions: int = 0",
        "constant: 0 -> 1",
    ): "a short cut: where all slots are known as candidates they are looked through for new ones",
    (
        "negotiator/accounting/accountant.py",
        'return float(number if number % 1 == 0 else f"{number:f}")',
        "constant: 0 -> 1",
    ): "a short cut: six decimals of a whole number are the number",
    (
        "negotiator/accounting/accountant.py",
        'return float(number if number % 1 == 0 else f"{number:f}")',
        "constant: 1 -> 2",
    ): "a short cut: six decimals of a whole number are the number",
    (
        "negotiator/accounting/accountant.py",
        "if priority is not None and priority < MIN_PRIORITY:",
        "comparison: priority < MIN_PRIORITY -> (priority <= MIN_PRIORITY)",
    ): "the least priority is replaced by itself",
    (
        "negotiator/accounting/records.py",
        "if len(text) >= 2 and text[0] == text[-1] == '\"' and '\"' not in text[1:-1]:",
        "guard: len(text) >= 2 and text[0] == text[-1] == '\"' and '\"' not in text[1:-1] -> False",
    ): "a short cut: the parser of old syntax reads the same text",
    (
        "negotiator/pool/slots.py",
        "if value is None:",
        "guard: value is None -> False",
    ): "only speed: what an ad has not got is undefined, too, when the ad is made and asked",
    (
        "pieslice/why/slots/casetext.py",
        'Column("user", name=True, drop=1),',
        "constant: 1 -> 2",
    ): "the only column of its table that may be left out is the first and the last to be",
    (
        "negotiator/columns/engine.py",
        "if not reordered:",
        "guard: not reordered -> False",
    ): "only speed: no slot has come back behind the others, so that the order is that of the rows",
    (
        "negotiator/columns/engines.py",
        "if not any(map(ge, found, islice(found, 1, None))):",
        "guard: not any(map(ge, found, islice(found, 1, None))) -> False",
    ): "only speed: rows that are not those of the pool are right, too, and are not kept",
    (
        "negotiator/columns/fetch.py",
        "ads = repeat(None) if rows.loaded else [rows.table.ad(row) for row in rows.order]",
        "condition: rows.loaded -> (not (rows.loaded))",
    ): "only speed: a slot without its ad takes the same one from the rows when it is asked for",
    (
        "negotiator/columns/conditions.py",
        "if len(rows) > _FEW:",
        "comparison: len(rows) > _FEW -> (len(rows) >= _FEW)",
    ): "only speed: either way of making the bits gives the same ones",
    (
        "negotiator/columns/slots.py",
        'return find(new_slot(ad, "", 1, known), surely)',
        "constant: 1 -> 2",
    ): "the questions that are asked of all slots at once do not read how many claims one has",
    (
        "negotiator/expressions/known.py",
        "if len(found) < len(looks):",
        "comparison: len(found) < len(looks) -> (len(found) <= len(looks))",
    ): "only speed: a text that does not tell is parsed as a whole",
    (
        "negotiator/expressions/regrouping.py",
        "WHOLE = 2",
        "constant: 2 -> 3",
    ): "levels are told apart and looked up, not reckoned with; none other is 3",
    (
        "negotiator/pool/fetch.py",
        "text = value if value is None or value.__class__ is str else ad.get_string(name)",
        "connective: value is None or value.__class__ is str"
        " -> (value is None and value.__class__ is str)",
    ): "only speed: `get_string` gives the same for a string, and None for nothing",
    (
        "negotiator/columns/engines.py",
        "if slots.rows.lasting:",
        "guard: slots.rows.lasting -> False",
    ): "only speed: loaded slots get the rows that slots which are ads would get, by their names",
    (
        "negotiator/columns/conditions.py",
        "if isinstance(node, Binary) and node.operator in ORDER:",
        "guard: isinstance(node, Binary) and node.operator in ORDER -> False",
    ): "only speed: what orders is never a number, so that it is true as it is or with `=?= True`",
    (
        "negotiator/groups/quotas.py",
        "if share > 0:",
        "comparison: share > 0 -> (share >= 0)",
    ): "nothing is spread of a surplus of 0, and nobody is told",
    (
        "negotiator/model/arithmetic.py",
        "return deque(accumulate(numbers, initial=0.0), maxlen=1).pop()",
        "constant: 1 -> 2",
    ): "the last one is taken, however many are kept",
    (
        "negotiator/accounting/records.py",
        "if len(text) >= 2 and text[0] == text[-1] == '\"' and '\"' not in text[1:-1]:",
        "comparison: len(text) >= 2 -> (len(text) > 2)",
    ): "only speed: an empty string is evaluated to the same",
    (
        "negotiator/pool/size.py",
        "if len(counts) < len(sizes):",
        "comparison: len(counts) < len(sizes) -> (len(counts) <= len(sizes))",
    ): "only speed: where all slots count their weights are listed again",
    (
        "negotiator/pool/fetch.py",
        "slot = Slot(ad, name, 1.0, claims, False, None, None)",
        "constant: 1.0 -> 2.0",
    ): "the weight is set before anybody reads it",
    (
        "negotiator/columns/engine.py",
        "if not bits:",
        "guard: not bits -> False",
    ): "only speed: the tests of kinds find none among no slots",
    (
        "negotiator/columns/fetch.py",
        "if self.policy.consider_preemption:",
        "guard: self.policy.consider_preemption -> False",
    ): "only speed: no slot is projected where preemption is considered",
    (
        "negotiator/columns/rank_keys.py",
        "if not rows or self._policy.ignore_job_ranks:",
        "connective: not rows or self._policy.ignore_job_ranks"
        " -> (not rows and self._policy.ignore_job_ranks)",
    ): "only speed: no rows have no ranks, and those of slots in their order are found anew",
    (
        "negotiator/columns/rank_keys.py",
        "if not rows or self._policy.ignore_job_ranks:",
        "guard: not rows or self._policy.ignore_job_ranks -> False",
    ): "only speed: no rows have no ranks, and those of slots in their order are found anew",
    (
        "negotiator/pool/addresses.py",
        "if _USUAL.fullmatch(text):",
        "guard: _USUAL.fullmatch(text) -> False",
    ): "only speed: what is usual is read piece by piece to the same",
    (
        "negotiator/pool/addresses.py",
        "if _IPV4.fullmatch(host):",
        "guard: _IPV4.fullmatch(host) -> False",
    ): "only speed: the library says the same of such an address",
    (
        "negotiator/pool/slots.py",
        "if self._base is None and self._copy is None and self._source is not None:",
        "comparison: self._source is not None -> (self._source is None)",
    ): "only speed: the ad is made, and has the same",
    (
        "negotiator/pool/slots.py",
        "mentions = self._source.mentions if apart and self._source is not None else None",
        "comparison: self._source is not None -> (self._source is None)",
    ): "only speed: the whole ad is looked at, not the part that can be seen",
    (
        "negotiator/expressions/flattening.py",
        "_BUDGET: Final = Budget(10 * 2**20)",
        "constant: 10 -> 11",
    ): "a bound of memory alone",
    (
        "negotiator/expressions/flattening.py",
        "_BUDGET.add(_MENTIONED, key, _Mentioned(found, (trees, spelled), 1000))",
        "constant: 1000 -> 1001",
    ): "an estimate of memory alone",
    (
        "negotiator/expressions/visible.py",
        "_MANY: Final = 100_000",
        "constant: 100_000 -> 100001",
    ): "a bound of memory alone",
    (
        "negotiator/capture/slots.py",
        'given = "slots" not in reader.paths.given and "slots" in reader.paths.ads',
        'connective: "slots" not in reader.paths.given and "slots" in reader.paths.ads'
        " -> ('slots' not in reader.paths.given or 'slots' in reader.paths.ads)",
    ): "only speed: slots that are read ad by ad are the same, from the same place",
    (
        "pieslice/why/clauses/change.py",
        "if is_number(known) and is_number(value):",
        "connective: is_number(known) and is_number(value)"
        " -> (is_number(known) or is_number(value))",
    ): "both values of a bound are numbers, or its relation is `=` and they are equal",
    (
        "pieslice/why/clauses/values.py",
        "return abs(value - now) if is_number(now) and is_number(value) else 0.0",
        "constant: 0.0 -> 1.0",
    ): "what is no number has one way to be found, so that nothing is compared with it",
    (
        "pieslice/why/quotas/text.py",
        'Column("surplus", "given", right=True, drop=4),',
        "constant: 4 -> 5",
    ): "it leaves first either way: no other column of the table has as much",
    (
        "pieslice/why/headtext.py",
        "if fate is None or answer.seen is None:",
        "connective: fate is None or answer.seen is None -> (fate is None and answer.seen is None)",
    ): "both are of a job that waits, and None together for one that does not",
    (
        "policy/values/units.py",
        "size = BYTES[unit] / number if sign > 0 else BYTES[unit] * number",
        "comparison: sign > 0 -> (sign >= 0)",
    ): "the sign is 1 or -1",
    (
        "policy/knobs/declaration.py",
        "in_table: bool = field(default=True, kw_only=True)",
        "constant: True -> False",
    ): "of `kw_only`: nobody gives the field by its place; test_knobs.py holds the default",
    (
        "policy/lint/places.py",
        "if at >= 0:",
        "comparison: at >= 0 -> (at > 0)",
    ): "a file begins with a name, not with a value",
    (
        "policy/lint/places.py",
        "if at >= 0:",
        "constant: 0 -> 1",
    ): "a file begins with a name, not with a value",
    (
        "policy/lint/silence.py",
        "first = source.position(line.offset(0))[0]",
        "constant: 0 -> 1",
    ): "another line only for a name of one letter before a continuation, of which nothing is said",
    (
        "policy/lint/view.py",
        "if self.reading is not None:",
        "guard: self.reading is not None -> False",
    ): "only speed: the reading has the expanded text, which is expanded again to the same",
    (
        "policy/config.py",
        "_known: Known = field(factory=dict, init=False, eq=False, repr=False)",
        "constant: False -> True",
    ): "nobody compares or prints configurations, or makes one from what it knows",
    (
        "policy/config.py",
        "_others: dict[Context, Config] = field(factory=dict, init=False, eq=False, repr=False)",
        "constant: False -> True",
    ): "nobody compares or prints configurations, or makes one from what it knows",
    (
        "pieslice/simulation/matchmaking_cache.py",
        "if user is None:",
        "guard: user is None -> False",
    ): "a list of jobs under no name is asked for by no submitter",
    (
        "pieslice/fuzzing/cycle.py",
        "return int(self.context.now or 0)",
        "constant: 0 -> 1",
    ): "a cycle has a time, which is `NOW` or later",
    (
        "policy/lint/units.py",
        "if not unit:",
        "guard: not unit -> False",
    ): "only speed: without a unit no bound is known that the value could be beyond",
    (
        "negotiator/pool/trimming.py",
        "reads = None if reads is None or rule.reads is None else [*reads, *rule.reads]",
        "comparison: rule.reads is None -> (rule.reads is not None)",
    ): "only speed: where it is not known what a rule reads, all of an ad is read",
    (
        "negotiator/columns/order.py",
        "_FIRST: Final = 16",
        "constant: 16 -> 17",
    ): "only speed: how many are sorted at first",
    (
        "negotiator/columns/conditions.py",
        "_FEW: Final = 16",
        "constant: 16 -> 17",
    ): "only speed: both ways to put a set together give the same",
    (
        "negotiator/groups/tree.py",
        "rr_time: float = 0.0",
        "constant: 0.0 -> 1.0",
    ): "set for all groups of a cycle before it is read",
    (
        "pieslice/why/slots/ranktext.py",
        'Column("cost", "weight", right=True, drop=2),',
        "constant: 2 -> 3",
    ): "an order: behind the column with 1 either way",
    (
        "classad/files/ads.py",
        "if size > _PEEK:",
        "guard: size > _PEEK -> False",
    ): "only memory: how much is read before it is told which form a text has",
    (
        "classad/table/arrays/arrays.py",
        'data = bits.to_bytes((bits.bit_length() + 63) // 64 * 8, "little")',
        "arithmetic: (bits.bit_length() + 63) // 64 -> ((bits.bit_length() + 63) * 64)",
    ): "only memory: zeros behind the bits, of which no row is",
    (
        "classad/compiled/python_source.py",
        "self.uses[sort] = self.uses.get(sort, 0) + 1",
        "constant: 0 -> 1",
    ): "only speed: an attribute that is asked once is looked up as those are that are asked often",
    (
        "classad/table/store/columns.py",
        "if float not in kinds:",
        "guard: float not in kinds -> False",
    ): "only speed: cells with an integer 0 are told apart one by one",
    (
        "pieslice/why/slots/holdtext.py",
        "if found.cause is None or found.vacating is None:",
        "connective: found.cause is None or found.vacating is None -> "
        "(found.cause is None and found.vacating is None)",
    ): "how a job leaves is known where there is a cause, and nowhere else",
    (
        "classad/loading/long_form.py",
        "return Tag.STRING, 0",
        "constant: 0 -> 1",
    ): "of a string the text is put in, not the number",
    (
        "classad/files/log_file.py",
        "self._fd = -1",
        "constant: 1 -> 2",
    ): "any number below 0 is no file",
    (
        "pieslice/simulation/engine.py",
        "self.state.order += 1",
        "constant: 1 -> 2",
    ): "an order: larger than those before it",
    (
        "classad/builtins/pcre.py",
        "_SOON_DONE: Final = 2_000",
        "constant: 2_000 -> 2001",
    ): "only speed: up to here a search is not made place by place",
    (
        "classad/builtins/pcre.py",
        'return compile(b"(*LIMIT_MATCH=%d)" % _FEW_STEPS + raw, flags, jit=False)',
        "constant: False -> True",
    ): "only speed: the library finds the same with compiled patterns",
    (
        "classad/table/expressions/shapes.py",
        "return (unparse(node), -1)",
        "constant: 1 -> 2",
    ): "only speed: an expression that was read at once has a shape of its own",
    (
        "classad/table/arrays/vectors.py",
        "if self._values is not None:",
        "guard: self._values is not None -> False",
    ): "only speed: the values are made again, one by one",
    (
        "negotiator/groups/whole_slots.py",
        "while surplus >= 1 and requested > 0 and (wanting := sum(want > 0 for want in wants)):",
        "comparison: want > 0 -> (want >= 0)",
    ): "only speed: more rounds in which each gets less come to the same",
    (
        "negotiator/columns/external.py",
        "if slot.copied is not None or (slot.changes and not slot.changes.keys() <= {_WEIGHT})",
        "comparison: slot.changes.keys() <= {_WEIGHT} -> (slot.changes.keys() < {_WEIGHT})",
    ): "only speed: slots of which the weight alone has changed are looked at alone, too",
    (
        "negotiator/model/arithmetic.py",
        "return (one - other - INT_MIN) % 2**32 + INT_MIN",
        "arithmetic: one - other - INT_MIN -> (one - other + INT_MIN)",
    ): "twice 2**31 is nothing modulo 2**32",
    (
        "negotiator/matching/board.py",
        "_by_name: dict[str, Slot] | None = field(default=None, init=False)",
        "constant: False -> True",
    ): "nothing makes a board with it",
    (
        "pieslice/why/headtext.py",
        "if seen is None or fate is None:",
        "connective: seen is None or fate is None -> (seen is None and fate is None)",
    ): "both are of the queue of the cycle: a job has both or neither",
    (
        "classad/table/dependence/plans.py",
        "_SHORT: Final = 2000",
        "constant: 2000 -> 2001",
    ): "only speed: longer ones are asked one by one",
    (
        "classad/compiled/compiler.py",
        'if piece[0] == "run" and tree.size <= MAX_SIZE:',
        'connective: piece[0] == "run" and tree.size <= MAX_SIZE -> '
        "(piece[0] == 'run' or tree.size <= MAX_SIZE)",
    ): "only speed: a constant or a large tree is written as a whole once it is hot",
    (
        "csrc/lex.c",
        "if (lexer->text[at] == 0)",
        "condition: if (lexer->text[at] == 0) -> if (!(lexer->text[at] == 0))",
    ): "only speed: a text with a comment is left to the definition",
    (
        "policy/knobs/declaration.py",
        'read_by: str = field(default="NEGOTIATOR", kw_only=True)',
        "constant: True -> False",
    ): "nothing gives it by its place",
    (
        "classad/table/dependence/partner.py",
        "_LOW = 40",
        "constant: 40 -> 41",
    ): "only speed: what a level is worth as a key",
    (
        "classad/builtins/pcre.py",
        "SHORT: Final = 128",
        "constant: 128 -> 129",
    ): "only speed: longer subjects are left to PCRE2, and so short ones give the same",
    (
        "classad/compiled/state.py",
        "active[mark] = owner if before is None else (before, owner)",
        "condition: before is None -> (not (before is None))",
    ): "only speed: what goes round is left to the reference evaluator at the greatest depth",
    (
        "classad/table/answers/variants.py",
        "if names is not None and not anew:",
        "negation: not anew -> (anew)",
    ): "only speed: what is kept for a way too long goes with the ways, which are all dropped",
    (
        "negotiator/columns/engine.py",
        "ways = [it for it in all_ways if it[1] is not every_slot]",
        "constant: 1 -> 2",
    ): "only speed: tests that every slot passes are asked, too",
    (
        "negotiator/scenario/warm.py",
        "def seconds_since(seen: Scenario, elapsed: int = 0) -> float:",
        "constant: 0 -> 1",
    ): "less than a second counts as one",
    (
        "policy/lint/findings.py",
        'return len(order), 0, 0, item.id or ""',
        "constant: 0 -> 1",
    ): "the line of those that have no file, which are sorted among themselves",
    (
        "policy/language/origins.py",
        "return _Site(owner, start, end, outer, 0 if outer is None else outer.depth + 1)",
        "constant: 1 -> 2",
    ): "depths are only compared with each other",
    (
        "policy/values/operators.py",
        "if a.has_text and b.has_text:",
        "connective: a.has_text and b.has_text -> (a.has_text or b.has_text)",
    ): "what is no text has no texts: nothing comes of it, or what other kinds give anyway",
    (
        "pieslice/simulation/state.py",
        "found: JsonData = asdict(state, recurse=False)",
        "constant: False -> True",
    ): "only speed: all that has parts is replaced behind it",
    (
        "classad/builtins/support.py",
        "if value.__class__ is bool:",
        "guard: value.__class__ is bool -> False",
    ): "a boolean is a real further down, and the same integer",
    (
        "classad/loading/cells.py",
        "_SPARSE: Final = 6",
        "constant: 6 -> 7",
    ): "only speed and memory: how a column is kept",
    (
        "classad/table/answers/requirements.py",
        "elif task.level > _LEVELS:",
        "comparison: task.level > _LEVELS -> (task.level >= _LEVELS)",
    ): "only speed: rows of so deep conditions are asked one by one",
    (
        "classad/table/dependence/conjuncts.py",
        "todo.append((node.right, level + 1))",
        "constant: 1 -> 2",
    ): "only speed: a deeper level is asked one by one sooner",
    (
        "classad/table/arrays/arrays.py",
        'data = bits.to_bytes((bits.bit_length() + 63) // 64 * 8, "little")',
        "constant: 8 -> 9",
    ): "more zeros behind the bits",
    (
        "classad/table/arrays/vectors.py",
        "if len(single) > _FEW:",
        "guard: len(single) > _FEW -> False",
    ): "only speed: more of them are asked one by one than is worth it",
}
