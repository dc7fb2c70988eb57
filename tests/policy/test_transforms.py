"""Job transforms: the recorded runs of the tools and the schedd, places of errors, divergences."""

from __future__ import annotations

from pathlib import Path

import pytest

from classad import ClassAd
from classad.ads.ad import Ad
from classad.evaluate import EvalContext
from classad.formats.long import read_long
from policy.config import Config, load_config
from policy.explain.roles import Host
from policy.explain.sentences import Topic
from policy.explain.submissions import about_access
from policy.explain.trial import CannotTry, trial
from policy.io import builtin_library
from policy.language.sources import MemorySources
from policy.language.table import Context
from policy.transforms.job import TransformedJob, text_of
from policy.transforms.passes import PassesError, passes
from policy.transforms.reach import too_late
from policy.transforms.routes import read_routes
from policy.transforms.routing import Router
from policy.transforms.rules import rules_of_text
from policy.transforms.running import FaultKind, TransformFault, TransformRun, run
from policy.transforms.submission import read_transforms, split_cluster, submit
from policy.transforms.variables import Variables
from policy.versions import parse_version
from tests.conform.runner import Summary, check_case, outcomes
from tests.conform.runner import run as run_cases
from tests.conform.transforms.kinds import TRANSFORM_KINDS
from tests.policy.test_lint import ids

VECTORS = Path(__file__).parents[1] / "vectors" / "transforms"
JOB = 'ProcId = 0\nOwner = "dora"\nRequestMemory = 100\nRequestDisk = 7\n'
NOW = EvalContext(now=1.8e9)


def config_of(text: str, subsystem: str = "SCHEDD") -> Config:
    sources = MemorySources({"condor_config": text})
    return load_config(
        "condor_config", sources, builtin_library(), context=Context(subsystem), keep_going=True
    )


def ad_of(text: str = JOB) -> Ad:
    return next(read_long(text, new=Ad))


def transformed(
    rules: str, job: str = JOB, config: str = ""
) -> tuple[TransformRun, dict[str, str]]:
    """The run of some rules by the tools, and the attributes that the job has then."""
    variables = Variables(config_of(config, "TOOL"), TransformedJob.of(ad_of(job)), NOW)
    course = run(rules_of_text(rules, "rules"), variables)
    ad = variables.job.ad
    return course, {name: text_of(ad.raw(name)) for name in ad.names()}


def fault(course: TransformRun) -> tuple[FaultKind, int | None, int | None]:
    """What ended a run, and where: line and column from 1."""
    found = course.failure
    assert found is not None
    assert isinstance(found.about, TransformFault)
    return found.about.kind, found.line, found.column


# --- recorded cases -------------------------------------------------------------------------------


@pytest.mark.slow
def test_every_recorded_transform_and_route_comes_out_the_same() -> None:
    summary: Summary = run_cases([VECTORS], TRANSFORM_KINDS)
    assert [(outcome.id, outcome.mismatches) for outcome in summary.failures] == []
    assert {name: good for name, (good, _) in summary.by_kind.items()} == {
        "job transform": 1454,
        "route": 248,
        "transform in a schedd": 38,
    }


def test_recorded_transforms_and_routes_come_out_the_same() -> None:
    """Those of the schedd, and every tenth of the others."""
    wrong = [
        outcome
        for name in ("schedd.jsonl", "routes.jsonl.gz", "transform.jsonl.gz")
        for number, outcome in enumerate(outcomes([VECTORS / name], TRANSFORM_KINDS))
        if outcome.mismatches and (name == "schedd.jsonl" or number % 10 == 0)
    ]
    assert wrong == []


def test_conform_finds_differences_of_every_kind() -> None:
    common = {"family": "f", "spelling": "s", "id": "x"}
    tool = {"rules": "SET A 1\n", "args": ["-rules", "rules", "ads"], "rc": 1, "messages": []}
    route = {"rc": 0, "config_rc": 0, "candidates": [], "checked": {}, "args": []}
    for case in (
        {**common, **tool, "kind": "transform", "ads": "B = 1", "result": ["A = 2\nB = 1"]},
        {**common, **route, "kind": "route", "ads": JOB, "routed": ["A = 1"], "routes": []},
        {**common, "kind": "schedd", "transform": "SET A 1", "submit_rc": 1},
        {**common, "kind": "schedd", "transform": "SET A 1", "submit_rc": 0, "changed": {}},
    ):
        assert check_case(case, TRANSFORM_KINDS).mismatches


# --- places ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ("SET A 1\n  SETT B 1\n", (FaultKind.UNKNOWN, 2, 3)),
        ("# c\n\nRENAME Old\n", (FaultKind.ARGUMENTS, 3, 1)),
        ("SET A 1 + \\\n  2\nDELETE /x\n", (FaultKind.PATTERN, 3, 8)),
        ("SET A 1\nif true\nSET B 1\n", (FaultKind.STRUCTURE, 2, 1)),
        ("else\n", (FaultKind.STRUCTURE, 1, 1)),
        ("if RequestMemory > 100\nendif\n", (FaultKind.CONDITION, 1, 1)),
        ("V @=e\nx\n", (FaultKind.BLOCK, 1, 1)),
        ("a-b = 1\n", (FaultKind.VARIABLE, 1, 1)),
        ('SET "open 1\n', (FaultKind.ARGUMENTS, 1, 1)),
    ],
)
def test_what_ends_a_transform_is_shown_in_its_line(
    rules: str, expected: tuple[FaultKind, int, int]
) -> None:
    assert fault(transformed(rules)[0]) == expected


def test_a_statement_that_is_left_out_is_shown_where_it_is_wrong() -> None:
    course, job = transformed("SET A 1 +\nSET B 2\n")
    (found,) = course.complaints
    assert (found.severity, found.line, job["B"], "A" in job) == ("warning", 1, "2", False)
    (found,) = transformed("SET A (RequestMemory *) 2\n")[0].complaints
    assert found.source is not None
    assert found.source.text[found.start : found.end] == ")"


def test_requirements_that_are_added_to_are_no_variable() -> None:
    """What condor_transform_ads 25.14.1 says of them, too."""
    assert rules_of_text("REQUIREMENTS += 2\n", "rules").fault is not None
    assert rules_of_text("REQUIREMENTS = 2\n", "rules").requirements is None


def test_a_line_of_a_configuration_keeps_its_place() -> None:
    config = config_of("A = 1\nJOB_TRANSFORM_NAMES = x\nJOB_TRANSFORM_x @=e\n# c\n\n   FOO 1\n@e\n")
    transforms = read_transforms(config)
    found = submit(transforms.rules, ad_of(), None, config, NOW).refusal
    assert found is not None
    assert (found.line, found.column) == (6, 4)


# --- what the tools loop or break on --------------------------------------------------------------


def test_variables_that_stand_for_each_other_are_an_error() -> None:
    course, _ = transformed('A = $(B)\nB = $(A)\nSET Z "$(A)"\n')
    assert fault(course)[:2] == (FaultKind.MACROS, 3)


def test_rules_without_a_command_that_runs_do_nothing() -> None:
    course, job = transformed("V = 1\nif false\nSET A 1\nendif\n")
    assert (course.failure, course.steps, "A" in job) == (None, [], False)


@pytest.mark.parametrize("sign", ["=", ","])
def test_a_sign_behind_the_name_is_no_part_of_it(sign: str) -> None:
    assert transformed(f"SET A{sign} 1\n")[1]["A"] == "1"
    assert "B" not in transformed(f"COPY Owner{sign} B\n")[1]


# --- steps ----------------------------------------------------------------------------------------


def test_a_step_tells_the_attribute_before_and_after() -> None:
    course, _ = transformed("SET Owner 1\nDELETE /^Request/\nDEFAULT Owner 2\n")
    changes = [
        [(change.attribute, change.before, change.after) for change in step.changes]
        for step in course.steps
    ]
    assert changes == [
        [("Owner", "dora", 1)],
        [("RequestDisk", 7, None), ("RequestMemory", 100, None)],
        [],
    ]


def test_a_list_makes_no_more_passes_than_a_machine_can() -> None:
    variables = Variables(config_of(""), TransformedJob.of(ad_of()), NOW)
    with pytest.raises(PassesError) as caught:
        passes(rules_of_text("TRANSFORM 1000000000\n", "rules"), variables)
    assert caught.value.diagnostic.line == 1


@pytest.mark.parametrize(
    ("argument", "count"), [("$(LIM)", 1), ("$(LIM:2)", 2), ("$(OWN:4)", 4), ("$CHOICE(0,3,9)", 3)]
)
def test_how_often_rules_run_is_read_without_variables_and_configuration(
    argument: str, count: int
) -> None:
    """What condor_transform_ads 25.14.1 does."""
    variables = Variables(config_of("LIM = 3\n"), TransformedJob.of(ad_of()), NOW)
    variables.put("OWN", "5")
    assert len(passes(rules_of_text(f"SET A 1\nTRANSFORM {argument}\n", "r"), variables)) == count


# --- the schedd -----------------------------------------------------------------------------------

TWO = "JOB_TRANSFORM_NAMES = a b\nJOB_TRANSFORM_a @=e\n{a}\n@e\nJOB_TRANSFORM_b = SET B 1\n"


def submitted(text: str, *, own: str = "ProcId = 0\n", cluster: str = JOB) -> tuple[Ad, str | None]:
    config = config_of(TWO.format(a=text))
    rules = read_transforms(config).rules
    done = submit(rules, ad_of(own), ad_of(cluster), config, NOW)
    return done.ad, None if done.refusal is None else done.refusal.message


def test_a_faulty_transform_refuses_the_job_and_ends_the_others() -> None:
    ad, refusal = submitted("RENAME Old")
    assert refusal is not None
    assert ad.raw("B") is None
    assert submitted("REQUIREMENTS false\nRENAME Old")[1] is None


@pytest.mark.parametrize("name", ["Owner", "ClusterId", "a-b", "x.y", '"a b"'])
def test_the_schedd_refuses_names_that_transforms_may_not_write(name: str) -> None:
    assert submitted(f"SET {name} 1")[1] is not None


def test_the_schedd_keeps_the_number_of_a_job() -> None:
    ad, refusal = submitted("SET ProcId 7\nSET R 1")
    assert (ad.raw("ProcId"), ad.raw("R"), refusal) == (0, 1, None)


def test_a_transform_changes_what_a_job_has_of_its_own() -> None:
    ad, refusal = submitted("SET Args 5\nDELETE Env", own='ProcId = 0\nArgs = 1\nEnv = "e"\n')
    assert (ad.raw("Args"), ad.raw("Env"), ad.raw("ProcId"), refusal) == (5, None, 0, None)


def test_patterns_see_what_a_job_has_of_its_own() -> None:
    ad, _ = submitted("COPY /.*/ Z_\\0")
    assert {name for name in ad.names() if name.startswith("Z_")} == {"Z_ProcId"}


def test_an_attribute_of_the_cluster_is_hidden_not_deleted() -> None:
    ad, _ = submitted("DELETE RequestDisk")
    assert text_of(ad.raw("RequestDisk")) == "undefined"


def test_the_schedd_says_which_transforms_it_does_not_run() -> None:
    text = (
        "JOB_TRANSFORM_NAMES = a, b c\nJOB_TRANSFORM_a = [ set_A = 1; ]\n"
        "JOB_TRANSFORM_b @=e\nREQUIREMENTS (\nSET B 1\n@e\n"
    )
    found = read_transforms(config_of(text))
    assert found.rules == ()
    assert sorted(problem.line or 0 for problem in found.problems) == [1, 2, 4]
    older = read_transforms(config_of(text), parse_version("23.9.6"))
    assert [rules.name for rules in older.rules] == ["a"]


def test_the_jobs_of_a_cluster_have_of_their_own_what_differs() -> None:
    text = "ProcId = {n}\nClusterId = 1\nJobStatus = 1\nArgs = {n}\nX = 2\n"
    ads = [ad_of(text.format(n=number)) for number in (0, 1)]
    cluster, jobs = split_cluster(ads)
    assert sorted(cluster.names()) == ["ClusterId", "X"]
    assert [sorted(job.names()) for job in jobs] == [["Args", "JobStatus", "ProcId"]] * 2


def test_every_requirements_line_has_to_parse() -> None:
    """Observed with condor_transform_ads and condor_job_router_info 25.14.1."""
    rules = rules_of_text("REQUIREMENTS (\nREQUIREMENTS true\n", "rules")
    assert rules.fault is not None
    assert rules.fault.line == 1


@pytest.mark.parametrize(("first", "routed"), [("error", None), ("undefined", "B"), ('"x"', None)])
def test_requirements_that_are_an_error_hide_the_routes_behind_them(
    first: str, routed: str | None
) -> None:
    """In the search for candidates, which asks for all routes in one condition."""
    config = config_of(TABLE.format(a=first, b="true"), "JOB_ROUTER")
    job = ad_of(f"{JOB}ClusterId = 1\nJobStatus = 1\n")
    route = Router(read_routes(config, NOW), config, NOW).route_one(job).route
    assert (None if route is None else route.name) == routed


@pytest.mark.parametrize(
    ("lines", "universe", "resource"),
    [
        ("UNIVERSE nothing\nTargetUniverse = 5\n", 5, ""),
        ("UNIVERSE nothing\nGridResource = batch pbs\n", 9, "batch pbs"),
        ("UNIVERSE VANILLA\nGridResource = batch pbs\n", 5, ""),
        ('TargetUniverse = 9\nGridResource = "batch slurm"\n', 9, "batch slurm"),
    ],
)
def test_a_resource_belongs_to_the_grid_and_an_unknown_universe_names_none(
    lines: str, universe: int, resource: str
) -> None:
    """The table of condor_job_router_info 25.14.1."""
    text = f"JOB_ROUTER_ROUTE_NAMES = A\nJOB_ROUTER_ROUTE_A @=e\nREQUIREMENTS true\n{lines}@e\n"
    (route,) = read_routes(config_of(text, "JOB_ROUTER"), NOW).routes
    assert (route.universe, route.grid_resource) == (universe, resource)


# --- what is said of them -------------------------------------------------------------------------

TABLE = """\
JOB_ROUTER_ROUTE_NAMES = A B C
JOB_ROUTER_ROUTE_A @=e
REQUIREMENTS {a}
UNIVERSE VANILLA
@e
JOB_ROUTER_ROUTE_B @=e
REQUIREMENTS {b}
UNIVERSE VANILLA
@e
JOB_ROUTER_ROUTE_C @=e
REQUIREMENTS Owner == "x"
UNIVERSE VANILLA
@e
"""


@pytest.mark.parametrize(
    ("first", "second", "late"),
    [
        ("true", "JobPrio > 1", [("A", ["B", "C"], True)]),
        ("JobPrio > 1", 'JobPrio > 1 && Owner == "x"', [("A", ["B"], False)]),
        ("JobPrio > 1", 'JobPrio > 1 || Owner == "x"', [("B", ["C"], False)]),
        ('JobPrio > 1 || (Owner == "x")', "JobPrio > 2", [("A", ["C"], False)]),
        ("time() > 0", "JobPrio > 1", []),
        ("JobUniverse == 5 && true", "JobPrio > 1", [("A", ["B", "C"], True)]),
        ("JobUniverse == 7", "JobPrio > 1", []),
    ],
)
def test_a_route_comes_too_late_behind_one_that_takes_all_its_jobs(
    first: str, second: str, late: list[tuple[str, list[str], bool]]
) -> None:
    text = TABLE.format(a=first, b=second) + "JOB_ROUTER_SOURCE_JOB_CONSTRAINT = JobUniverse == 5\n"
    table = read_routes(config_of(text, "JOB_ROUTER"), NOW)
    found = too_late(table)
    assert [
        (one.earlier.name, [route.name for route in one.routes], one.everything) for one in found
    ] == late


def test_a_policy_says_which_transforms_and_routes_there_are() -> None:
    text = "JOB_TRANSFORM_NAMES = T\nJOB_TRANSFORM_T @=e\nREQUIREMENTS JobPrio > 1\nSET X 1\n@e\n"
    config = config_of(text + TABLE.format(a="JobPrio > 2", b="true"), "NEGOTIATOR")
    host = Host(("SCHEDD", "JOB_ROUTER"))
    said = [sentence.text for sentence in about_access(Topic(config, ""), host)]
    first = said.index("condor_schedd transforms new jobs, in this order:")
    assert said[first + 1] == "T: jobs with `JobPrio > 1`; it changes X"
    first = said.index("condor_job_router gives a job the first of these routes that takes it:")
    assert said[first : first + 5] == [
        "condor_job_router gives a job the first of these routes that takes it:",
        "A: jobs with `JobPrio > 2`; vanilla; 100 jobs, 50 of them idle",
        "B: jobs with `true`; vanilla; 100 jobs, 50 of them idle",
        'C: jobs with `Owner == "x"`; vanilla; 100 jobs, 50 of them idle',
        "route C can never be used until B is full: B, before it, takes every job, up to 100 jobs,"
        " 50 of them idle",
    ]


def test_the_expression_of_a_route_is_its_requirements() -> None:
    config = config_of(TABLE.format(a="RequestMemory > 50", b="("), "NEGOTIATOR")
    job = ClassAd(ad_of())
    tried = trial(config, "JOB_ROUTER_ROUTE_A", ClassAd(), job, NOW)
    assert tried.outcome().value is True
    with pytest.raises(CannotTry):
        trial(config, "JOB_ROUTER_ROUTE_B", ClassAd(), job, NOW)


@pytest.mark.parametrize(
    "line",
    [
        'SET RequestMemory "2048"',
        'DEFAULT LeaveJobInQueue "yes"',
        'EVALSET JobPrio strcat("1", 2)',
        'DEFAULT Requirements "yes"',
    ],
)
def test_a_text_is_no_value_of_an_attribute_that_is_none(line: str) -> None:
    head = "JOB_TRANSFORM_NAMES = A\nJOB_TRANSFORM_A @=end\n"
    body = f"{head} REQUIREMENTS JobUniverse == 5\n {{}}\n@end\n"
    assert ids(body.format(line)) == [("P428", 4)]
    for clean in ('SET AcctGroup "physics"', "SET LeaveJobInQueue True", "SET RequestMemory 2048"):
        assert ids(body.format(clean)) == []


@pytest.mark.parametrize("name", ["Requirements", "Rank"])
def test_what_is_asked_of_slots_is_not_computed_at_submission(name: str) -> None:
    head = "JOB_TRANSFORM_NAMES = A\nJOB_TRANSFORM_A @=end\n"
    assert ids(f"{head} EVALSET {name} MY.{name} && TARGET.HasX\n@end\n") == [("P252", 3)]
    assert ids(f"{head} SET {name} $(MY.{name}) && TARGET.HasX\n@end\n") == []


def test_a_transform_leaves_a_job_the_requirements_that_it_has() -> None:
    head = "JOB_TRANSFORM_NAMES = A\nJOB_TRANSFORM_A @=end\n"
    own = " SET Requirements TARGET.HasX\n@end\n"
    assert ids(f"{head}{own}") == [("P252", 3)]
    assert (
        ids(f"{head} COPY Requirements Asked\n{own.replace('HasX', 'HasX && $(MY.Asked)')}") == []
    )
    old = " if defined MY.Requirements\n SET Requirements $(MY.Requirements) && HasX\n else\n"
    assert ids(f"{head}{old} SET Requirements TARGET.HasX\n endif\n@end\n") == []
    route = head.replace("TRANSFORM_NAMES", "ROUTER_ROUTE_NAMES").replace(
        "TRANSFORM", "ROUTER_ROUTE"
    )
    assert "P252" not in [kind for kind, _ in ids(f"{route} UNIVERSE vanilla\n{own}")]


GRID = (
    "DAEMON_LIST = MASTER, JOB_ROUTER\nJOB_ROUTER_ROUTE_NAMES = A\nJOB_ROUTER_ROUTE_A @=end\n"
    " REQUIREMENTS True\n UNIVERSE GRID\n {}\n@end\n"
)


@pytest.mark.parametrize(
    "line", ['GridResource = "{}"', "GridResource = {}", 'SET GridResource "{}"']
)
def test_a_route_goes_to_a_grid_and_a_batch_system_that_there_are(line: str) -> None:
    for there in (
        "batch slurm",
        "batch pbs a@x.org",
        "condor s.x.org c.x.org",
        "arc https://x.org",
    ):
        assert ids(GRID.format(line.format(there))) == []
    for slip in ("batch slrum", "bacth slurm", "cream https://x.org"):
        assert ids(GRID.format(line.format(slip))) == [("P250", 6)]


@pytest.mark.parametrize("limit", ["MaxJobs", "MaxIdleJobs"])
def test_a_route_takes_jobs(limit: str) -> None:
    line = GRID.replace("GRID", "VANILLA")
    assert ids(line.format(f"{limit} = 0")) == [("P250", 6)]
    assert ids(line.format(f"{limit} = 5")) == []


def test_a_map_is_asked_for_the_user_of_a_job() -> None:
    head = "SCHEDD_CLASSAD_USER_MAP_NAMES = G\nCLASSAD_USER_MAPDATA_G @=x\n* alice physics\n@x\n"
    body = (
        f'{head}JOB_TRANSFORM_NAMES = T\nJOB_TRANSFORM_T = EVALSET AcctGroup userMap("G", {{}})\n'
    )
    assert ids(body.format('"Owner"')) == [("P424", 6)]
    assert ids(body.format("Owner")) == ids(body.format('"alice"')) == []


@pytest.mark.parametrize("macro", ["SYSTEM_PERIODIC_HOLD_A_REASON", "SUBMIT_REQUIREMENT_B_REASON"])
def test_a_reason_has_no_holes(macro: str) -> None:
    head = (
        "DAEMON_LIST = MASTER, SCHEDD\nSYSTEM_PERIODIC_HOLD_NAMES = A\n"
        "SUBMIT_REQUIREMENT_NAMES = B\n"
        "SYSTEM_PERIODIC_HOLD_A = NumJobStarts > 4\nSUBMIT_REQUIREMENT_B = RequestMemory < 9000\n"
    )
    assert ids(f'{head}{macro} = "used by $(Owner)"\n') == [("P120", 6)]
    assert ids(f'{head}{macro} = strcat("used by ", Owner)\n') == []


def test_a_text_in_a_variable_needs_quotes_where_it_is_given() -> None:
    body = "JOB_TRANSFORM_NAMES = T\nJOB_TRANSFORM_T @=end\n  tier = {}\n  SET Tier {}\n@end\n"
    assert ids(body.format("long", "$(tier)")) == [("P252", 4)]
    assert ids(body.format("long", '"$(tier)"')) == ids(body.format("5", "$(tier)")) == []
    assert ids(body.format("Owner", "$(tier)")) == ids(body.format("true", "$(tier)")) == []


def test_what_stands_behind_a_scope_is_an_attribute() -> None:
    body = (
        "JOB_TRANSFORM_NAMES = T\nJOB_TRANSFORM_T @=end\n{}  EVALSET RequestMemory maxmem\n@end\n"
    )
    assert ids(body.format("")) == [("P412", 3)]
    assert ids(body.format("  SET WasMax $(MY.maxmem:0)\n")) == []


@pytest.mark.parametrize("line", ["", 'GridResource = "condor schedd.x.org"'])
def test_each_route_to_the_grid_says_whereto(line: str) -> None:
    other = (
        "JOB_ROUTER_ROUTE_B @=end\n  REQUIREMENTS JobPrio < 5\n  UNIVERSE GRID\n"
        '  GridResource = "batch slurm"\n@end\n'
    )
    text = GRID.format(line).replace("ROUTE_NAMES = ", "ROUTE_NAMES = B, ", 1)
    assert [one for one, _ in ids(text + other)] == ["P250"]


@pytest.mark.parametrize("condition", ["$(MY.RequestCpus) > 16", "$(big) == 1", "! $(n) < $(m)"])
def test_a_condition_of_a_transform_compares_nothing(condition: str) -> None:
    """Asked of condor_transform_ads of 25.14.1: `complex conditionals are not supported`."""
    body = "JOB_TRANSFORM_NAMES = T\nJOB_TRANSFORM_T @=end\n  big = 1\n  n = 1\n  m = 1\n  if {}\n"
    body = f"{body}    SET Big True\n  endif\n  SET Seen $(big)$(n)$(m)\n@end\n"
    assert ids(body.format(condition)) == [("P247", 6)]
    for right in ("$(big)", "! $(big)", "defined MY.RequestCpus", "version >= 24.0.$(n)"):
        assert ids(body.format(right)) == []


def test_behind_else_stands_no_condition() -> None:
    body = "JOB_TRANSFORM_NAMES = T\nJOB_TRANSFORM_T @=end\n  if 0\n    SET A 1\n  {} 0\n"
    body = f"{body}    SET B 1\n  endif\n@end\n"
    assert ids(body.format("else if")) == [("P251", 5)]
    assert ids(body.format("elif")) == []


@pytest.mark.parametrize("line", ["DELETE {}", "COPY {} Kept", "RENAME {} Kept"])
def test_an_attribute_has_no_star_in_its_name(line: str) -> None:
    body = f"JOB_TRANSFORM_NAMES = T\nJOB_TRANSFORM_T @=end\n  {line}\n@end\n"
    assert ids(body.format("Notify*")) == [("P251", 3)]
    assert ids(body.format("/^Notify.*/")) == ids(body.format("Notify")) == []


def test_what_a_route_asks_for_is_an_expression() -> None:
    assert ids(GRID.format('GridResource = "batch slurm"\n JobFailureTest = other.A = 3')) == [
        ("P245", 7)
    ]
    right = 'GridResource = "batch slurm"\n JobFailureTest = other.A == 3'
    assert ids(GRID.format(right)) == []


def test_fewer_jobs_are_idle_than_there_are() -> None:
    line = GRID.replace("GRID", "VANILLA")
    assert ids(line.format("MaxJobs = 50\n MaxIdleJobs = 60")) == [("P250", 7)]
    assert ids(line.format("MaxIdleJobs = 50\n MaxJobs = 50")) == []


def test_a_token_of_the_router_is_listed() -> None:
    text = "JOB_ROUTER_CREATE_IDTOKEN_NAMES = A\nJOB_ROUTER_CREATE_IDTOKEN_{} @=x\nsub = 1\n@x\n"
    assert ids(text.format("A")) == []
    assert {name for name, _ in ids(text.format("B"))} == {"P211", "P212"}
