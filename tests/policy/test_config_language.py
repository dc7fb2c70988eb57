"""The configuration language: what the vectors cannot show - places, chains, errors."""

from __future__ import annotations

from math import inf

import pytest

from policy.config import Config, HostFacts, load_config
from policy.io import builtin_library
from policy.language.functions import file_name
from policy.language.macros import ExpansionError
from policy.language.numbers import double_literal
from policy.language.sources import MemorySources
from policy.language.table import Context
from policy.language.templates import parse_templates
from tests.cases import every_case


def read(text: str, *, keep_going: bool = False, **files: str) -> Config:
    sources = MemorySources({"pool.conf": text, **files})
    return load_config(
        "pool.conf",
        sources,
        builtin_library(),
        context=Context("NEGOTIATOR"),
        keep_going=keep_going,
    )


def test_a_value_that_grows_beyond_all_bounds_is_stopped() -> None:
    texts = ["X0 = " + "x" * 1000, *(f"X{n} = " + f"$(X{n - 1})" * 20 for n in range(1, 5))]
    config = read("".join(f"{text}\n" for text in texts))
    assert len(config.text("X2") or "") == 400_000
    with pytest.raises(ExpansionError, match="exceeds 4000000 characters"):
        config.text("X4")


def test_a_pattern_that_is_given_up_excludes_no_file() -> None:
    text = "LOCAL_CONFIG_DIR = /d\nLOCAL_CONFIG_DIR_EXCLUDE_REGEXP = ^(a+)+$\n"
    config = read(text, **{"/d/" + "a" * 60 + "b": "HARD = 1\n", "/d/aaa": "EASY = 1\n"})
    assert (config.text("HARD"), config.text("EASY")) == ("1", None)


@pytest.mark.parametrize(
    ("path", "full"), [("a/b", "/w/a/b"), ('"a b"', "/w/a b"), ("/a/b", "/a/b")]
)
def test_the_full_path_of_a_file_begins_at_the_working_directory(path: str, full: str) -> None:
    assert file_name("f", path, "/w/") == full
    assert file_name("", path, "/w/") == path.strip('"')


def test_a_value_remembers_where_and_what_it_replaced() -> None:
    config = read("A = 1\nA = \\\n  $(A), 2\nNEGOTIATOR.A = 3\n")
    found = config.lookup("A")
    assert found is not None
    assert (found.name, found.place()) == ("NEGOTIATOR.A", "pool.conf, line 4")
    plain = config.scope.table.get("A")
    assert plain is not None
    assert [(d.raw, d.written, d.line) for d in plain.chain()] == [
        ("1, 2", "$(A), 2", 3),
        ("1", "1", 1),
    ]


def test_a_template_line_names_the_template() -> None:
    config = read("A = 1\nuse SECURITY : host_based\n")
    found = config.lookup("ALLOW_READ")
    assert found is not None
    assert found.place() == "pool.conf, line 2, use SECURITY:HOST_BASED+2"


def test_a_bad_line_stops_the_reading_and_points() -> None:
    config = read("A = 1\nmy-name = 2\nB = 3\n")
    assert not config.complete
    assert config.lookup("B") is None
    [found] = config.diagnostics
    assert found.render().splitlines() == [
        "pool.conf:2:1: error: `my-name` is not a macro name",
        "   2 | my-name = 2",
        "     | ^~~~~~~",
    ]


@pytest.mark.parametrize("mark", [";", ";;;;", "--", "---", "//", "/*"])
def test_comments_of_other_languages_are_one_cause_with_help(mark: str) -> None:
    """Seen with 25.14.1: condor_config_val ends at each, `//` with an operator is a name."""
    lines = [mark, f"{mark} a pool", f"{mark}a pool"]
    if "/" not in mark:
        lines += [f"{mark} A = 1", f"{mark}A = 1", f"{mark} A : 1"]
    found = read("\n".join([*lines, ""]), keep_going=True).diagnostics
    assert [one.line for one in found] == [*range(1, len(lines) + 1)]
    assert {one.severity for one in found} == {"error"}
    [(message, help_text)] = {(one.message, one.help) for one in found}
    assert message == f"`{mark[:2]}` begins no comment"
    assert help_text == "comments begin with `#`"


def test_the_marks_of_a_conflict_are_one_cause() -> None:
    text = "<<<<<<< HEAD\nA = 1\n||||||| old\n=======\nA = 2\n>>>>>>> 4c3a639 (more)\n"
    found = read(text, keep_going=True).diagnostics
    assert [one.line for one in found] == [1, 3, 4, 6]
    assert {one.message for one in found} == {"git left the marks of a conflict here"}
    [other] = read("======= 3\n", keep_going=True).diagnostics
    assert other.message == "a statement begins with the name of a macro"


def test_slashes_are_the_name_of_a_macro() -> None:
    config = read("// = 1\n//a = 2\n")
    assert not config.diagnostics
    assert [config.text(name) for name in ("//", "//a")] == ["1", "2"]


def test_reading_can_go_on_after_bad_lines() -> None:
    config = read("A = 1\nbroken\nB = 3\nuse POLICY : Nope\nC = 4\n", keep_going=True)
    assert config.complete
    assert [config.text(name) for name in "ABC"] == ["1", "3", "4"]
    assert [found.line for found in config.diagnostics] == [2, 4]


@pytest.mark.parametrize("name", ["more", "$(CONFIG_ROOT)/more"])
def test_a_relative_include_beside_the_root_file_is_explained(name: str) -> None:
    files = MemorySources({"/x/root": f"include : {name}\n", "/x/more": "A = 1\n"})
    config = load_config("/x/root", files, builtin_library(), context=Context("NEGOTIATOR"))
    if name.startswith("$"):
        assert config.text("A") == "1"
    else:
        [found] = config.diagnostics
        assert found.message == "cannot read `more`"
        assert "`$(CONFIG_ROOT)/more` is beside the root file" in (found.help or "")


def test_an_error_in_an_included_file_points_there() -> None:
    config = read("include : inc\n", inc="A = 1\nA ++= 2\n")
    [found] = config.diagnostics
    assert found.headline().startswith("inc:2:3: error")


@pytest.mark.parametrize(
    ("text", "chain"),
    [
        ("A = $(B)\nB = $(A)\n", ("A", "B", "A")),
        ("A = $INT(A)1\n", ("A", "A")),
        ("A = $(X:$(A))\n", ("A", "A")),
        ("B = $(A)\nNEGOTIATOR.A = $(B)\nA = 1\n", ("NEGOTIATOR.A", "B", "NEGOTIATOR.A")),
    ],
)
def test_expansion_without_end_is_an_error_with_the_chain(
    text: str, chain: tuple[str, ...]
) -> None:
    with pytest.raises(ExpansionError) as caught:
        read(text).text("A")
    assert caught.value.chain == chain


def test_expansion_that_doubles_is_stopped() -> None:
    lines = "".join(f"A{n} = $(A{n + 1})$(A{n + 1})\n" for n in range(60))
    with pytest.raises(ExpansionError, match=r"characters|replacements"):
        read(lines + "A60 = x\n").text("A0")


@pytest.mark.parametrize("width", ["4000001", ".4000001", "9" * 5000])
@pytest.mark.parametrize("function", ["$INT(B,%{}d)", "$REAL(B,%{}f)", "$STRING(B,%{}s)"])
def test_a_width_that_fills_the_memory_is_stopped(function: str, width: str) -> None:
    config = read(f"A = {function.format(width)}\nB = 5\n")
    with pytest.raises(ExpansionError, match="expansion exceeds 4000000 characters"):
        config.text("A")
    assert len(read("A = $INT(B,%4000000d)\nB = 5\n").text("A") or "") == 4_000_000


def test_programs_are_not_run() -> None:
    config = read("include command : /bin/echo A = 1\n")
    [found] = config.diagnostics
    assert found.message == "`/bin/echo A = 1` is not run"


def test_another_reader_sees_its_own_prefix() -> None:
    config = read("A = g\nSCHEDD.A = s\n")
    assert config.text("A") == "g"
    assert config.seen_by("SCHEDD").text("A") == "s"


def test_a_last_line_without_a_newline_has_its_number() -> None:
    """D-206: condor_config_val counts one line less."""
    config = read("A = 1\nB = 2")
    found = config.lookup("B")
    assert found is not None
    assert (found.raw, found.line, config.diagnostics) == ("2", 2, ())


def test_a_last_line_without_a_newline_is_taken_as_it_stands() -> None:
    config = read("A @=end\n  x\n@end ")
    assert [found.id for found in config.diagnostics] == ["P105", None]
    config = read("A = x \\")
    assert config.text("A") == "x \\"


def test_a_nul_byte_joins_two_lines_and_is_named() -> None:
    config = read("A = 5\0 6\nB = 7\nC = 8\n")
    assert (config.text("A"), config.text("B"), config.text("C")) == ("5B = 7", None, "8")
    [found] = config.diagnostics
    assert (found.id, found.line, found.column) == ("P106", 1, 6)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("$Fdd(a/b)", ""),
        ("$REAL(1,%Lf)", "1.000000"),
        ('$BASENAME("")', ""),
        ('$Fq("")', '""'),
        ("$F()", ""),
    ],
)
def test_function_macros_stay_inside_their_argument(text: str, value: str) -> None:
    """D-205: HTCondor reads memory of others, crashes or hangs."""
    assert (read(f"A = [{text}]\n").text("A")) == f"[{value}]"


def test_a_prefixed_macro_may_build_on_the_plain_one_for_whoever_reads() -> None:
    """As real pools write second negotiators; read here for another one."""
    config = read("A = 1\ntwo.A = $(A) x\nSCHEDD.A = $(A) y\nSCHEDD.B = $(C)\nC = $(B)\n")
    assert config.seen_by("NEGOTIATOR", "two").text("A") == "1 x"
    assert config.seen_by("SCHEDD", None).text("A") == "1 y"
    with pytest.raises(ExpansionError, match="never ends"):
        config.seen_by("SCHEDD", None).text("B")


@pytest.mark.parametrize("name", ["RunBenchmarks", "runbenchmarks", "rUnBenchmarks"])
def test_one_name_may_be_assigned_to_with_a_colon(name: str) -> None:
    """In any case; where that is an error for others it is a warning for this one."""
    config = read(f"{name} : 5\n")
    assert (config.text("RunBenchmarks"), config.diagnostics) == ("5", ())
    config = read(f"#opt:strict\n{name} : 5\nA = 1\n")
    assert (config.text("RunBenchmarks"), config.text("A")) == ("5", "1")
    assert [found.severity for found in config.diagnostics] == ["warning"]
    assert not read("#opt:strict\nRunBenchmark : 5\n").complete


@pytest.mark.parametrize(
    ("what", "says"),
    [
        *[
            (what, "complex conditionals are not supported")
            for what in ("a-b", "a+b", "a-b c", "-5", "+5", "1e-3", "a@b", "use a-b", "a,b", '"a"')
        ],
        ("a:b", "takes the name of a macro"),
        ("a b", "takes one name"),
        ("a\tb", "takes one name"),
    ],
)
def test_what_can_be_asked_whether_it_is_defined(what: str, says: str) -> None:
    """As condor_config_val 25.14.1 has it; of each of these it says that it is no condition."""
    for condition in (f"defined {what}", f"! DEFINED {what}"):
        config = read(f"if {condition}\nendif\n")
        assert not config.complete
        assert says in config.diagnostics[0].message
    config = read(f"X = {what}\nif defined $(X)\nendif\n")
    assert not config.complete


@pytest.mark.parametrize("what", ["a_b", "a/b", "a.b", "5", "1e3", "true", "use POLICY:Desktop"])
def test_names_that_can_be_asked_for(what: str) -> None:
    assert read(f"if defined {what}\nendif\n").complete
    assert read(f"if defined\t{what}\nendif\n").complete


#: Of each condition the value that condor_config_val 25.14.1 gives it; ``X`` is set to nothing.
CONDITIONS = {
    True: (
        *("! $(X)", "0.5", "yes", "T", "! 0", "! defined Y", "defined NEGOTIATOR_INTERVAL"),
        *("defined use POLICY", "defined use policy", "defined use POLICY:", "! defined use Nope"),
        *("defined use POLICY:Desktop", "defined use policy:desktop"),
        *("version >= 25.14.1", "version = 25.14.1", "version == 25.14", "version <= 25.14.1"),
        *("version !=25.14.0", "version < 25.14.2", "version < 25.15", "version > 24.99.9"),
    ),
    False: (
        *("$(X)", "$(X) $(X)", "0", "0.0", "no", "F", "! 1"),
        *("defined", "defined $(X)", "defined Y", "defined X", "defined use"),
        *("defined use Nope", "defined use Nope:", "defined use :", "defined use :Desktop"),
        *("defined use POLICY:Nope", "defined use Nope:Desktop"),
        *("version > 25.14.1", "version < 25.14.1", "version == 25.14.0", "version != 25.14.1"),
        *("version > 25.14", "version < 25.14", "version >= 25.15"),
    ),
}


@every_case(
    "condition, true", [(text, true) for true, texts in CONDITIONS.items() for text in texts]
)
def test_a_condition_is_as_true_as_for_the_daemons(condition: str, true: bool) -> None:
    config = read(f"X =\nif {condition}\n  A = True\nelse\n  A = False\nendif\n")
    assert config.complete
    assert config.text("A") == str(true)


@pytest.mark.parametrize("text", ["if x\n", "if x\nif y\nendif\n"])
def test_a_file_may_end_within_a_condition_that_is_none(text: str) -> None:
    config = read(text, keep_going=True)
    told = [problem.message for problem in config.diagnostics]
    assert told[-1] == "file ends before `endif`"
    assert [problem.line for problem in config.diagnostics][-1] == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("LOCAL_CONFIG_DIR = $(B)\nB = $(LOCAL_CONFIG_DIR)\n",
         "expansion of `LOCAL_CONFIG_DIR` never ends: LOCAL_CONFIG_DIR -> B -> LOCAL_CONFIG_DIR"),
        ("LOCAL_CONFIG_DIR_EXCLUDE_REGEXP = (\n",
         "LOCAL_CONFIG_DIR_EXCLUDE_REGEXP `(`: not a regular expression"),
        ("AUTO_USE_FEATURE_GPUs = 1 +\n",
         "`1 +` is not a condition: comparisons and operators are not available"),
        ("if true\n" * 70 + "endif\n" * 70, "conditionals nested deeper than 63"),
    ],
)  # fmt: skip
def test_what_is_said_of_rare_mistakes(text: str, said: str) -> None:
    config = read(text, keep_going=True)
    found = [item.source for item in config.diagnostics if item.message == said]
    assert {source and source.name for source in found} == {"pool.conf"}


def test_folders_may_be_named_in_a_folder_and_in_a_local_file() -> None:
    files = {
        "/d/1": "A = 1\nLOCAL_CONFIG_FILE = /f\n", "/f": "LOCAL_CONFIG_DIR = /e\n",
        "/e/1": "B = 2\n",
    }  # fmt: skip
    config = read("LOCAL_CONFIG_DIR = /d\nENABLE_PERSISTENT_CONFIG = true\n", **files)
    assert (config.text("A"), config.text("B"), config.diagnostics) == ("1", "2", ())


def test_names_in_the_environment_that_are_none_are_passed_over() -> None:
    given = {"_CONDOR_A": "1", "_CONDOR_B-C": "2", "OTHER": "3", "_condor_D": "4"}
    config = load_config(None, MemorySources(), builtin_library(), environment=given)
    assert (config.text("A"), config.text("D"), config.lookup("B-C")) == ("1", "4", None)


@pytest.mark.parametrize(("home", "value"), [("", None), ("/home/u", "7")])
def test_a_user_without_a_home_has_no_file_of_its_own(home: str, value: str | None) -> None:
    config = load_config(
        "/c",
        MemorySources({"/c": "USER_CONFIG_FILE = mine\n", "/home/u/.condor/mine": "A = 7\n"}),
        builtin_library(),
        host=HostFacts(home=home, is_admin=False),
    )
    assert config.text("A") == value


@pytest.mark.parametrize(
    ("text", "value"),
    [("0x1p99999", inf), ("-0x1p99999", -inf), ("0x1.8p1", 3.0), ("1e400", inf), ("x", None)],
)
def test_numbers_beyond_all_are_infinite(text: str, value: float | None) -> None:
    assert double_literal(text) == value


def test_templates_are_nested_to_a_depth() -> None:
    files = {f"f{number}": f"include : f{number + 1}\n" for number in range(30)}
    deep = files | {"f18": "use FEATURE : GPUs\n"}
    (found,) = read("include : f0\n", **deep).diagnostics
    assert found.message == "`use FEATURE:GPUs` nested too deep"
    assert list(parse_templates("")) == []


@pytest.mark.parametrize(
    ("what", "there"),
    [("FEATURE:GPUs", True), ("feature:gpus", True), ("FEATURE", True), ("FEATURE:", True),
     ("FEATURE:Nope", False), ("NOPE:GPUs", False), ("NOPE", False)],
)  # fmt: skip
def test_templates_can_be_asked_for(what: str, there: bool) -> None:
    assert (read(f"if defined use {what}\nA = 1\nendif\n").text("A") == "1") is there


def test_a_random_integer_without_a_maximum_is_the_minimum() -> None:
    assert read("A = $RANDOM_INTEGER(1,x)\n").text("A") == "1"
    assert read("A = $RANDOM_INTEGER(x,x)\n").text("A") == "0"


def test_a_value_is_not_put_together_without_end() -> None:
    lines = ["A0 = " + "x" * 1000]
    lines += [f"A{number} = $(A{number - 1})$(A{number - 1})" for number in range(1, 24)]
    with pytest.raises(ExpansionError, match="expansion exceeds 4000000 characters"):
        read("\n".join([*lines, ""])).text("A23")
