"""What a text that does not parse is answered: the place, the words, the suggestion."""

from __future__ import annotations

import traceback

import pytest

from classad import ClassAd, ExprTree
from classad.errors import ClassAdParseError
from classad.source import Source
from classad.syntax.parser import parse_ad_prefix, parse_expression
from tests.cases import every_case


def rendered(text: str, **options: object) -> str:
    with pytest.raises(ClassAdParseError) as problem:
        parse_expression(text, **options)  # type: ignore[arg-type]
    assert problem.value.diagnostic is not None
    return problem.value.diagnostic.render()


def test_whole_text() -> None:
    source = Source(
        'TARGET.Memory > 1024\n  && (Arch = "X86_64")', "pool.conf", first_line=12, first_column=7
    )
    assert rendered(source.text, source=source) == (
        "pool.conf:13:12: error: expected an operator or `)`, found `=`\n"
        '   13 |   && (Arch = "X86_64")\n'
        "      |            ^\n"
        "  help: comparison is written `==`"
    )


def test_exception_text_starts_with_one_line_for_all_errors() -> None:
    with pytest.raises(ClassAdParseError, match=r"\AUnable to parse string into an expression\n"):
        parse_expression("a b")
    with pytest.raises(SyntaxError, match=r"\AUnable to parse string into a ClassAd\n"):
        parse_ad_prefix("[a")


def test_a_traceback_shows_the_place() -> None:
    with pytest.raises(ClassAdParseError) as problem:
        parse_expression("a b")
    last = "".join(traceback.format_exception_only(problem.value))
    assert last.rstrip().endswith("1 | a b\n     |   ^")


#: Text; where the carets are; message; help.
CASES = [
    ("", "^", "the expression is empty", None),
    ("1 +", "   ^", "expected an operand, found the end of the text", None),
    ("a b", "  ^", "expected an operator or end of expression, found `b`", None),
    ("f(a b)", "    ^", "expected an operator, `,` or `)`, found `b`", None),
    ("1 ? 2", "     ^", "expected an operator or `:`, found the end of the text", None),
    ("a && b || && c", "          ^~", "expected an operand, found `&&`", None),
    # Operators of other languages.
    ("a and b", "  ^~~", "expected an operator or end of expression, found `and`",
     "`and` is not an operator; write `&&`"),
    ("a || NOT b", "         ^", "expected an operator or end of expression, found `b`",
     "`NOT` is not an operator; write `!`"),
    ("1 is not 1", "         ^", "expected an operator or end of expression, found `1`",
     "the opposite of `is` is one word: `isnt`"),
    ("a <> b", "   ^", "expected an operand, found `>`", "not equal is written `!=`"),
    ("a === b", "    ^", "expected an operand, found `=`",
     "identity is written `=?=`, equality `==`"),
    ("a =< b", "  ^", "expected an operator or end of expression, found `=`", "write `<=`"),
    ("a ** 2", "   ^", "expected an operand, found `*`",
     "there is no power operator; write `pow(a, b)`"),
    ("x ?: !y", "     ^", "expected an operand, found `!`",
     "enclose what follows `?:` in parentheses"),
    # Numbers.
    ("Disk > 10GB", "         ^~", "expected an operator or end of expression, found `GB`",
     "numbers have no units; write `10737418240`"),
    ("1.5 K", "    ^", "expected an operator or end of expression, found `K`",
     "numbers have no units; write `1536`"),
    ("007", "^~~", "an integer cannot start with `0`", "write `7`"),
    ("0x1F", "^~~~", "there are no hexadecimal integers", "write `31`"),
    ("0x7FFFFFFFFFFFFFFF", "^~~~~~~~~~~~~~~~~~", "there are no hexadecimal integers",
     "write `9223372036854775807`"),
    ("0x8000000000000000", "^~~~~~~~~~~~~~~~~~", "there are no hexadecimal integers", None),
    ("1.", "^~", "a decimal point needs digits after it", "write `1.0`"),
    ("10%", "   ^", "expected an operand, found the end of the text",
     "`%` gives the remainder of a division"),
    # Quotes.
    ("\"a\" 'b'", "    ^~~", "expected an operator or end of expression, found `'b'`",
     'single quotes enclose a name; a string takes `"`'),
    ('"c:\\dir\\"', "^~~~~~~~~", "this string is never closed",
     'a backslash before " makes it part of the text'),
    ("“a”", "^", "unexpected character `“`", 'strings take the plain quote `"`'),
    ("a.true", "  ^~~~", "expected an attribute name, found the reserved word `true`",
     "quote a reserved word that is a name: `'true'`"),
    ("$(X)", "^", "unexpected character `$`",
     "macros such as `$(NAME)` exist in configuration files only"),
    # Brackets.
    ("(a + (b * 2)", "^", "`(` is never closed", "a `)` is missing"),
    ("(((a", "  ^", "`(` is never closed", "a `)` is missing"),
    ("a)", " ^", "expected an operator or end of expression, found `)`",
     "there is no open bracket for this `)`"),
    ("{a)", "  ^", "expected an operator, `,` or `}`, found `)`",
     "the bracket to close here is `{`"),
    ("f(1,)", "    ^", "expected an operand, found `)`", "remove the `,` before `)`"),
    ("a.b(1)", "   ^", "expected an operator or end of expression, found `(`",
     "only a plain name can be called"),
    # Ads.
    ("[a = 1, b = 2]", "      ^", "expected an operator, `;` or `]`, found `,`",
     "attributes are separated by `;`"),
    ("[a == 1]", "   ^~", "expected `=`, found `==`",
     "an ad consists of `name = expression`, separated by `;`"),
    ('["a" = 1]', " ^~~", 'expected an attribute name or `]`, found `"a"`',
     "a name takes single quotes or none: `'a'`"),
    ("['' = 1]", " ^~", "the name of an attribute is empty", None),
    # Time literals.
    ('1 + absTime("noon")', "            ^~~~~~", "this is not a time that `absTime` can read",
     'write it like `absTime("2026-01-31T23:59:59Z")`'),
]  # fmt: skip


@every_case("text, carets, message, help", CASES)
def test_messages(text: str, carets: str, message: str, help: str | None) -> None:
    expected = [
        f"<expression>:1:{carets.index('^') + 1}: error: {message}",
        f"   1 | {text}",
        f"     | {carets}",
    ]
    if help is not None:
        expected.append(f"  help: {help}")
    assert rendered(text).split("\n") == expected


def test_nesting_names_the_limit() -> None:
    text = "(" * 200
    assert rendered(text).startswith("<expression>:1:167: error: nested too deeply\n")


def test_strict_semantics_say_so() -> None:
    assert "strict semantics wants `,` between arguments" in rendered("f(1;2)", strict=True)


def test_messages_name_one_line_of_text_whatever_it_holds() -> None:
    for text in ("a\x1b[31m b\n\nc", "a " + "b" * 5000, "a \u202e", "1 \r\n 2"):
        assert "\n" not in rendered(text).split("\n")[0]
        assert "\x1b" not in rendered(text).split("\n")[0]


@pytest.mark.parametrize(
    ("text", "help"),
    [
        ("not a b", "`not` is not an operator; write `!`"),
        ("1 and", "`and` is not an operator; write `&&`"),
        ("a is not b", "the opposite of `is` is one word: `isnt`"),
        ("and 1", None), ("a not", None),
    ],
)  # fmt: skip
def test_words_of_other_languages(text: str, help: str | None) -> None:
    with pytest.raises(ClassAdParseError) as caught:
        ExprTree(text)
    assert caught.value.diagnostic is not None
    assert caught.value.diagnostic.help == help


def test_trees_of_different_length_differ() -> None:
    one, two = ExprTree("{a, [b = 1]}"), ExprTree("{a, [b = 1], 2}")
    assert not one.sameAs(two)
    assert one.sameAs(ExprTree("{a, [b = 1]}"))
    assert hash(one.node) == hash(ExprTree("{a, [b = 1]}").node)


def test_a_surrogate_that_stands_for_no_byte_is_written_as_its_bytes() -> None:
    assert repr(ClassAd({"a": "\ud800"})) == '[ a = "\\355\\240\\200" ]'
    assert repr(ExprTree('"\ud800"')) == '"\\355\\240\\200"'


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (b"\xff + 1", r"\xff"),  # a byte that is no UTF-8
        (b"\x80", r"\x80"),
        (b"\x01", r"\x01"),
        ("\u2028".encode(), r"\u2028"),
    ],
)
def test_what_cannot_be_shown_is_told_by_its_number(written: bytes, shown: str) -> None:
    text = written.decode("utf-8", "surrogateescape")
    assert f"unexpected character `{shown}`" in rendered(text)
