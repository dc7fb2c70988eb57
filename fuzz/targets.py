"""Lists the targets: the one table from which the command, the README and the tests are made.

Outputs: ``TARGETS`` by name; run as a program it prints the table of the README.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

from fuzz.target import Target, table

#: Seconds between two priority updates, and half-lives.
_INTERVALS: Final = (1, 59, 60, 3600, 86400, 10**7)
_HALF_LIVES: Final = (86400.0, 1.0, 1e18, 3600.5)


def _scopes() -> Any:
    from hypothesis import strategies as st

    from classad.strategies import ads, expressions

    # Alone, of a chained parent, and besides in another ad.
    side = st.lists(st.tuples(ads(), st.integers(0, 127)), min_size=1, max_size=3)
    return st.tuples(expressions(), side, side, st.booleans())


def _parser_cases() -> Any:
    from hypothesis import strategies as st

    from classad.language.operators import BINARY
    from classad.strategies import expressions, mutated

    words = {symbol: f" {row.word.title()} " for symbol, row in BINARY.items() if row.word}

    def worded(text: str, wanted: bool) -> str:
        for symbol, word in words.items() if wanted else ():
            text = text.replace(symbol, word)
        return text

    texts = st.builds(worded, expressions(), st.booleans())
    return st.tuples(mutated(texts), st.integers(0, 7))


def _columns() -> Any:
    from hypothesis import strategies as st

    from classad.strategies import expressions, match_pairs

    numbers = st.none() | st.integers(-1, 20) | st.sampled_from([2**53 + 1, 0.5, -0.0, "a"])
    rows = st.lists(st.tuples(st.integers(0, 9), numbers), min_size=1, max_size=14)
    pairs = st.lists(match_pairs(), min_size=1, max_size=4)
    return st.tuples(expressions(), pairs, rows, st.booleans())


def _tables() -> Any:
    from hypothesis import strategies as st

    sizes, counts = st.integers(1, 40), st.integers(1, 12)
    return st.tuples(st.integers(0, 2**32), sizes, counts, st.booleans(), st.booleans())


def _shared_tables() -> Any:
    from hypothesis import strategies as st

    return st.tuples(st.integers(0, 2**32), st.integers(1, 24), st.integers(1, 16))


def _files() -> Any:
    from hypothesis import strategies as st

    from classad.strategies import long_texts

    return st.tuples(long_texts(), st.integers(0, 400))


def _keys() -> Any:
    from hypothesis import strategies as st

    special = [0.0, -0.0, 1.0, -1.0, float("inf"), float("-inf"), float("nan"), 5e-324, 1.7e308]
    numbers = st.sampled_from(special) | st.integers(0, 3).map(float) | st.floats()
    rows = st.sampled_from([0, 1, 5, 15, 16, 17, 18, 33, 200])

    def columns(count: int) -> Any:
        column = st.lists(numbers, min_size=count, max_size=count)
        return st.lists(column, min_size=1, max_size=5)

    return st.tuples(rows.flatmap(columns), st.integers(0, 200))


def _quotas() -> Any:
    from hypothesis import strategies as st

    from negotiator.strategies import demands
    from policy.strategies import group_trees

    pools = st.sampled_from([1.0, 10.0, 72.61, 100.0, 0.0]) | st.floats(0, 1e4, width=32)
    return st.tuples(group_trees(), pools, pools, st.lists(demands(), min_size=4, max_size=9))


def _ageing() -> Any:
    from hypothesis import strategies as st

    from negotiator.model.snapshot import Customer
    from negotiator.strategies import customers

    def charged(record: Customer) -> dict[str, object]:
        """All of it: what is not charged yet counts once, however long it takes."""
        return record.changed(uncharged_time=None, weighted_uncharged_time=None).data()

    times = st.sampled_from(_INTERVALS)
    return st.tuples(customers().map(charged), times, times, st.sampled_from(_HALF_LIVES))


def _logs() -> Any:
    from hypothesis import strategies as st

    from negotiator.model.snapshot import Customer
    from negotiator.strategies import customers

    names = st.sampled_from(["alice@test", "bob@test", "<none>", "a.b"])
    records = st.lists(
        names.flatmap(customers).map(Customer.data),
        max_size=3,
        unique_by=lambda record: record["name"],
    )
    return st.tuples(st.lists(records, max_size=3), st.integers(0, 4000))


#: Statements of which edits are made; a number stands in each place.
_STATEMENTS: Final = (
    "# nothing but words", "ALL_DEBUG = D_FULLDEBUG", "PRIORITY_HALFLIFE = {}00",
    "DEFAULT_PRIO_FACTOR = {}", "NICE_USER_PRIO_FACTOR = {}", "SLOT_WEIGHT = Cpus + {}",
    "SCHEDD_USE_SLOT_WEIGHT = {} > 2", "NEGOTIATOR_CONSIDER_PREEMPTION = {} > 2",
    "PREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmitterUserPrio * {} / 3",
    "PREEMPTION_REQUIREMENTS = TotalJobRunTime > {}00 && RemoteUserPrio > TARGET.SubmitterUserPrio",
    "PREEMPTION_RANK = -MY.TotalJobRunTime % {}1", "NEGOTIATOR_PRE_JOB_RANK = Memory % {}3",
    "NEGOTIATOR_POST_JOB_RANK = -Cpus * {}", "NEGOTIATOR_SLOT_CONSTRAINT = Cpus > {}",
    "NEGOTIATOR_JOB_CONSTRAINT = RequestCpus < {}", "NEGOTIATOR_DEPTH_FIRST = {} > 2",
    "USE_RESOURCE_REQUEST_COUNTS = {} > 2", "NEGOTIATOR_MATCHLIST_CACHING = {} > 2",
    "NEGOTIATOR_IGNORE_USER_PRIORITIES = {} > 2", "NEGOTIATOR_IGNORE_JOB_RANKS = {} > 2",
    "ALLOW_PSLOT_PREEMPTION = {} > 2", "GROUP_ACCEPT_SURPLUS = {} > 2",
    "GROUP_AUTOREGROUP = {} > 2",
    "GROUP_NAMES = group_physics, group_chemistry\nGROUP_QUOTA_DYNAMIC_group_physics = 0.{}",
    "GROUP_QUOTA_DYNAMIC_group_chemistry = 0.{}", "GROUP_QUOTA_MAX_ALLOCATION_ROUNDS = {}",
    "NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION = {} > 2", "CONCURRENCY_LIMIT_DEFAULT = {}",
    "START = TARGET.RequestMemory < {}000", "START = TARGET.RequestCpus < {}", "START = false",
    "RANK = TARGET.RequestCpus * {}", "CLAIM_WORKLIFE = {}", "MAX_JOBS_RUNNING = {}0",
    "SYSTEM_PERIODIC_HOLD = RequestCpus > {}", "USE_GLOBAL_JOB_PRIOS = {} > 2",
    "JOB_TRANSFORM_NAMES = M\nJOB_TRANSFORM_M @=end\nSET RequestMemory {}00\n@end",
    "NEGOTIATOR_MAX_TIME_PER_CYCLE = {}", "PRIORITY_HALFLIFE = x {}", "if true\nA = {}",
)  # fmt: skip


def _edits() -> Any:
    from hypothesis import strategies as st

    statement = st.builds(str.format, st.sampled_from(_STATEMENTS), st.integers(0, 9))
    text = st.lists(statement, min_size=1, max_size=3).map("\n".join)
    edits = st.lists(st.tuples(text, text, st.integers(0, 40)), min_size=1, max_size=6)
    pools = st.sampled_from(["tour", "tour", "scenarios/two_users.json", "campus"])
    return st.tuples(pools, edits, st.integers(0, 400))


def _later(module: str, name: str) -> Any:
    """The function of this name, imported when the target is run."""

    def call(*arguments: Any) -> Any:
        return getattr(import_module(module), name)(*arguments)

    return call


def _check(module: str, name: str) -> Any:
    """The check of this name in a module of ``fuzz``, imported when the target is run."""
    return _later(f"fuzz.{module}", name)


def _vector(case: Any) -> dict[str, Any]:
    from fuzz.language import vector

    return vector(case)


_ALL: Final = (
    Target(
        "text", "printer and parser", "what is printed is read as the same and printed so again",
        _later("classad.strategies", "expressions"), _check("language", "text_comes_back"), 400,
    ),
    Target(
        "parsers", "the C parser, the grammar and, where installed, `classad2`",
        "what the first takes the others take, with the same tree, places and print",
        _parser_cases, _check("language", "parsers_agree"),
    ),
    Target(
        "evaluators", "the reference evaluator and both grains of the compiled form",
        "same type and text of the value, same success; none raises",
        _later("classad.strategies", "cases"), _check("language", "evaluators_agree"), 300, _vector,
    ),
    Target(
        "scopes", "the same in ads that are chained, nested or both, in a match or not",
        "same type and text of the value, same success, also when it is asked again",
        _scopes, _check("scopes", "scopes_agree"), 300,
    ),
    Target(
        "peer", "ours and `classad2` of the `htcondor` wheel",
        "same type and bits of the value, where the real one survives",
        _later("classad.strategies", "cases"), _check("language", "peer_agrees"), 150, _vector,
    ),
    Target(
        "columns", "tables and batches of ads, and the exact evaluator row by row",
        "same matches, selections, values and ranks, also after a row is replaced",
        _columns, _check("columns", "columns_agree"), 100,
    ),
    Target(
        "tables", "one table that is asked many things, and the exact evaluator row by row",
        "the same answers with several groups and parts of rows, chained and nested ads, changes",
        _tables, _check("tables", "tables_agree"), 60,
    ),
    Target(
        "threads", "a table that four threads ask and change, and tables of their own",
        "each thread gets an answer that the table gives it alone",
        _shared_tables, _check("tables", "threads_agree"), 12,
    ),
    Target(
        "loaders", "loading into columns and the reader of lines",
        "the same ads and problems, wherever the text is cut",
        _files, _check("language", "loaders_agree"), 300,
    ),
    Target(
        "flatten", "an expression and what is left when it is flattened",
        "same value in a match, for the operators with which HTCondor's keeps it",
        _later("classad.strategies", "cases"), _check("language", "flatten_keeps"), 400, _vector,
    ),
    Target(
        "printers", "the writers and readers of all four forms",
        "an ad that is written and read is written the same again",
        _later("classad.strategies", "ads"), _check("language", "printers_agree"), 200,
    ),
    Target(
        "kernels", "the C kernels and their Python twins",
        "same order for any columns, NaN and infinities included",
        _keys, _check("kernels", "kernels_agree"), 200,
    ),
    Target(
        "expansion", "reading a configuration",
        "every macro has a value, or an error that says why not, the same with what is kept of "
        "others and without",
        _later("policy.strategies", "configurations"), _check("sharing", "expansion_ends"), 300,
    ),
    Target(
        "quotas", "quotas and allocation of any tree of groups",
        "nothing lost, no group above its cap or its wish or below its own, no surplus left that "
        "somebody may have, more pool is never less allocated, any order of names the same",
        _quotas, _check("sharing", "quotas_hold"), 400,
    ),
    Target(
        "ageing", "the accountant's priority update",
        "priority moves towards usage; two intervals do what their sum does",
        _ageing, _check("sharing", "ageing_holds"), 300,
    ),
    Target(
        "log", "the accountant's log cut at any byte",
        "what is read is the state after one of the whole transactions, as it was written",
        _logs, _check("sharing", "log_recovers"), 200,
    ),
    Target(
        "cycle", "a negotiation cycle of any small pool",
        "no slot twice, ceilings and concurrency limits kept, numbers consistent, the same twice "
        "and from records in another order",
        _later("negotiator.strategies", "scenarios"), _check("cycles", "cycles_hold"), 100,
    ),
    Target(
        "engines", "finding candidates among all slots at once and one by one",
        "the same result, the same random numbers drawn, also where the slots cannot be asked at "
        "once",
        _later("negotiator.strategies.adversarial_pools", "adversarial_scenarios"),
        _check("cycles", "engines_agree"), 200,
    ),
    Target(
        "cycles", "columns kept from cycle to cycle and cycles from nothing",
        "the same results in three cycles, and under one policy after the other",
        _later("negotiator.strategies.adversarial_pools", "adversarial_scenarios"),
        _check("cycles", "engines_keep_up"), 100,
    ),
    Target(
        "session", "a session whose policy is edited and pools that are read for each policy",
        "the same cycle, differences, `why` and `rank`, also after edits that were cancelled",
        _edits, _check("sessions", "sessions_agree"), 3,
    ),
)  # fmt: skip

TARGETS: Final[dict[str, Target]] = {target.name: target for target in _ALL}


if __name__ == "__main__":
    print(table(TARGETS.values()), end="")
