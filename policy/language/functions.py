"""Computes the function macros ``$INT()``, ``$ENV()``, ``$F...()`` and so on.

Inputs: the reference and the expander it stands in; environment, random numbers, working directory
and expression evaluation are arguments of ``Functions``.  Outputs: the replacement text; a failure
is reported through ``report`` and replaced by what the tools put there.  (Daemons abort instead:
whoever reads a knob decides.)
Follows: condor_config_val 25.14.1 (golden vectors ``func``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from attr import evolve, frozen

from classad.patterns import late_regex
from policy.language.lines import BLANKS
from policy.language.macros import MAX_EXPANDED, Expander, ExpansionError, MacroReference
from policy.language.numbers import (
    Evaluate,
    double_literal,
    integer_literal,
    read_integer,
    saturated,
)

if TYPE_CHECKING:
    from random import Random

_FORMAT = late_regex(
    r"(?P<before>(?:[^%]++|%%)*)"
    r"%(?P<flags>[-+ #0]*)(?P<width>\d*)(?P<precision>\.\d*)?(?P<size>hh|h|ll|l|j|z|t|q|L)?"
    r"(?P<kind>[a-zA-Z])(?P<after>(?:[^%]++|%%)*)"
)
#: Bits of the C integer that a conversion takes, by its length modifier; 64 with any other.
_BITS = {"": 32, "h": 16, "hh": 8}
_COMMA = late_regex(",")
_COMMA_OR_BLANK = late_regex(r"[, \t\r\n]")


@frozen
class Functions:
    """The functions, with the outside world they may look at.

    ``numbers`` gives random ones; ``unparse`` prints a ClassAd value; ``report`` receives failures.
    """

    environment: Mapping[str, str]
    numbers: Callable[[], Random]
    evaluate: Evaluate
    unparse: Callable[[object], str]
    report: Callable[[str], None]
    directory: str = ""

    def call(self, reference: MacroReference, expander: Expander) -> str:
        """Replacement text of a function reference."""
        word, body = reference.function, reference.body
        if word == "ENV":
            name, default = reference.split_default()
            return self.environment.get(name, "UNDEFINED" if default is None else default)
        if word[:1] == "F":
            return file_name(word[1:], _resolved(body, expander), self.directory)
        return _TABLE[word](self, body, expander)

    def reporting(self, report: Callable[[str], None]) -> Callable[[MacroReference, Expander], str]:
        """The same, with failures going to ``report``: most values call no function."""
        return lambda reference, expander: evolve(self, report=report).call(reference, expander)

    def fail(self, message: str, result: str = "") -> str:
        """Report a failure and hand on what stands in for the value."""
        self.report(message)
        return result


def _resolved(argument: str, expander: Expander) -> str:
    """Value of an argument: of the macro it names, else the text itself; expanded.

    Blanks count: no macro has a name with one.
    """
    entry = expander.lookup(argument)
    if entry is None:
        return expander.expand(argument)
    return expander.inside(entry.name).expand(entry.raw)


def _formatted(pattern: str, kinds: str) -> re.Match[str] | None:
    found = _FORMAT.fullmatch(pattern)
    if found is None or found["kind"] not in kinds:
        return None
    for digits in (found["width"], (found["precision"] or "").removeprefix(".")):
        if saturated(digits) > MAX_EXPANDED:
            raise ExpansionError(f"expansion exceeds {MAX_EXPANDED} characters")
    return found


def _print(match: re.Match[str], value: object, kind: str = "s") -> str:
    return _around(
        match, f"%{match['flags']}{match['width']}{match['precision'] or ''}{kind}" % value
    )


def _around(match: re.Match[str], printed: str) -> str:
    """What is printed, between the rest of the format."""
    before, after = (match[part].replace("%%", "%") for part in ("before", "after"))
    return f"{before}{printed}{after}"


def _print_integer(match: re.Match[str], value: int) -> str:
    """An integer as C prints it: unlike in Python a precision counts digits, and only these."""
    kind, flags, precision = match["kind"].replace("i", "d"), match["flags"], match["precision"]
    digits = format(abs(value), kind.replace("u", "d"))
    if precision is not None:
        least = int(precision[1:] or 0)
        digits = digits.zfill(least) if value or least else ""
    before = "-" if value < 0 else ""
    if kind == "d" and not before:
        before = "+" if "+" in flags else " " if " " in flags else ""
    elif kind == "o" and "#" in flags and digits[:1] != "0":
        before = "0"
    elif kind in "xX" and "#" in flags and value:
        before = f"0{kind}"
    width = int(match["width"] or 0)
    if "-" in flags:
        return _around(match, f"{before}{digits}".ljust(width))
    if "0" in flags and precision is None:
        digits = digits.zfill(width - len(before))
    return _around(match, f"{before}{digits}".rjust(width))


def _int(self: Functions, body: str, expander: Expander) -> str:
    argument, comma, pattern = body.partition(",")
    found = _formatted(pattern, "dioxXuc") if comma else None
    if comma and found is None:
        return self.fail(f"$INT() format `{pattern}` is not an integer conversion", pattern)
    value = read_integer(_resolved(argument, expander), self.evaluate)
    if value is None:
        return self.fail(f"$INT() argument `{argument}` is not an integer")
    if found is None:
        return str(value)
    kind = found["kind"]
    value = _as_c(value, _BITS.get(found["size"] or "", 64), unsigned=kind in "oxXu")
    if kind == "c":  # one byte; a NUL ends the string of a C program
        letter = bytes([value % 256]).decode("utf-8", "surrogateescape")
        return _print(found, letter, kind).partition("\0")[0]
    return _print_integer(found, value)


def _as_c(value: int, bits: int, *, unsigned: bool) -> int:
    """What is left of a number in a C integer of so many bits."""
    value %= 2**bits
    return value if unsigned or value < 2 ** (bits - 1) else value - 2**bits


def _real(self: Functions, body: str, expander: Expander) -> str:
    argument, comma, pattern = body.partition(",")
    found = _formatted(pattern, "eEfFgG") if comma else None
    if comma and found is None:
        return self.fail(f"$REAL() format `{pattern}` is not a real conversion", pattern)
    text = _resolved(argument, expander)
    number = double_literal(text)
    if number is None:
        value = self.evaluate(text)
        if value.__class__ not in (bool, int, float):
            return self.fail(f"$REAL() argument `{argument}` is not a number")
        number = float(value)
    if found is None:
        return f"{number:.16G}"
    printed = _print(found, number, found["kind"])
    return printed if "." in printed else printed + ".0"


def _string(self: Functions, body: str, expander: Expander) -> str:
    argument, comma, pattern = body.partition(",")
    found = _formatted(pattern, "s") if comma else None
    if comma and found is None:
        return self.fail(f"$STRING() format `{pattern}` is not a string conversion", pattern)
    text = _resolved(argument, expander)
    value = self.evaluate(text)
    result = value if isinstance(value, str) else text
    return result if found is None else _print(found, result)


def _eval(self: Functions, body: str, expander: Expander) -> str:
    text = _resolved(body, expander)
    value = self.evaluate(text)
    if value is None:
        # What HTCondor expanded for this it hands on; a dollar sign may also begin a reference
        # that is complete in the result.
        entry = expander.lookup(body)
        return text if "$" in (body if entry is None else entry.raw) else ""
    return value if isinstance(value, str) else self.unparse(value)


def _substr(self: Functions, body: str, expander: Expander) -> str:
    name, _, rest = body.partition(",")
    start_text, comma, length_text = rest.partition(",")
    start = integer_literal(_resolved(start_text, expander))
    if start is None:
        return self.fail(f"$SUBSTR() start `{start_text.strip(BLANKS)}` is not an integer")
    length = integer_literal(_resolved(length_text, expander)) if comma else None
    if comma and length is None:
        return self.fail(f"$SUBSTR() length `{length_text.strip(BLANKS)}` is not an integer")
    entry = expander.lookup(name)
    text = "" if entry is None else expander.inside(entry.name).expand(entry.raw)
    start = max(0, len(text) + start) if start < 0 else start
    if length is None:
        return text[start:]
    stop = len(text) + length if length < 0 else start + length
    return text[start : max(start, stop)]


def _items(text: str, expander: Expander, parted: re.Pattern[str] = _COMMA) -> list[str]:
    """The items of a list of literals, or of the macro whose name is the only one.

    ``parted``: what stands between those of a macro; between literals there are commas.
    """
    items = [item.strip(BLANKS) for item in text.split(",")]
    if len(items) == 1 and expander.lookup(items[0]) is not None:
        items = [item.strip(BLANKS) for item in parted.split(_resolved(items[0], expander))]
    return items


def _choice(self: Functions, body: str, expander: Expander) -> str:
    index_text, comma, rest = body.partition(",")
    index = read_integer(_resolved(index_text.strip(BLANKS), expander), self.evaluate)
    if index is None or index < 0:
        self.fail(f"$CHOICE() index `{index_text.strip(BLANKS)}` is no place in a list")
        index = 0
    if not comma:
        return self.fail("$CHOICE() has no list")
    if "," not in rest and expander.lookup(rest.strip(BLANKS)) is None:
        return self.fail(f"$CHOICE() list `{rest.strip(BLANKS)}` is not defined")
    items = _items(rest, expander)
    if not 0 <= index < len(items):
        return self.fail(f"$CHOICE() index {index} is outside the list of {len(items)}")
    return items[index]


def _random_choice(self: Functions, body: str, expander: Expander) -> str:
    items = [item for item in _items(body, expander, _COMMA_OR_BLANK) if item]
    if not items:
        return self.fail("$RANDOM_CHOICE() has nothing to choose from")
    return items[self.numbers().randrange(len(items))]


def _random_integer(self: Functions, body: str, expander: Expander) -> str:
    texts = [part.strip(BLANKS) for part in body.split(",")]
    numbers = map(integer_literal, texts)  # names of macros are none, unlike elsewhere
    low, high, step = (*numbers, None, None, None)[:3]
    if low is None:
        self.fail(f"$RANDOM_INTEGER() minimum `{texts[0]}` is not an integer")
        low = 0
    if high is None:
        self.fail("$RANDOM_INTEGER() maximum is not an integer")
        high = low
    if len(texts) > 2 and (step is None or step < 1):
        self.fail(f"$RANDOM_INTEGER() step `{texts[2]}` is not a positive integer")
        step = 1
    if low > high:
        self.fail(f"$RANDOM_INTEGER() minimum {low} exceeds maximum {high}")
        low = high
    step = step or 1
    return str(low + step * self.numbers().randrange((high - low) // step + 1))


def _basename(self: Functions, body: str, expander: Expander) -> str:
    parts = body.rsplit(",", 1)
    suffix = parts[1].lstrip(BLANKS) if len(parts) > 1 else ""
    return base_name(unquoted(_resolved(parts[0], expander)), suffix)


def _dirname(self: Functions, body: str, expander: Expander) -> str:
    return directory_name(unquoted(_resolved(body, expander)))


_TABLE: dict[str, Callable[[Functions, str, Expander], str]] = {
    "INT": _int,
    "REAL": _real,
    "STRING": _string,
    "EVAL": _eval,
    "SUBSTR": _substr,
    "CHOICE": _choice,
    "RANDOM_CHOICE": _random_choice,
    "RANDOM_INTEGER": _random_integer,
    "BASENAME": _basename,
    "DIRNAME": _dirname,
}


# --- names of files -------------------------------------------------------------------------------


def base_name(path: str, suffix: str = "") -> str:
    """What follows the last slash, without ``suffix`` (compared ignoring case)."""
    name = path.rpartition("/")[2]
    if suffix and name.casefold().endswith(suffix.casefold()):
        return name[: len(name) - len(suffix)]
    return name


def directory_name(path: str) -> str:
    """Everything up to and including the last slash."""
    directory, slash, _ = path.rpartition("/")
    return directory + slash


def file_name(flags: str, path: str, working_directory: str) -> str:
    """``$F<flags>(path)``; the flags are described in the manual, any case."""
    flags = flags.lower()
    path = unquoted(path)
    if "f" in flags and not path.startswith("/") and working_directory:
        path = f"{working_directory.rstrip('/')}/{path}"
    path = _with_separators(flags, path)
    result = _parts_of_name(flags, path)
    asked = set(flags) & set("pdnx")
    if "b" in flags and asked:
        result = result.removesuffix("/")
        if result == extension_of(path):
            result = result.removeprefix(".")
    if "q" in flags:
        mark = "'" if "a" in flags else '"'
        # The program writes only the opening mark around a part that is not there.
        return mark + result + mark if result or not asked & set("pnx") else mark
    return result


def unquoted(path: str) -> str:
    """The path without a quote before it, and without the same one behind it."""
    if path[:1] not in ('"', "'"):
        return path
    return path[1:].removesuffix(path[0])


def _with_separators(flags: str, path: str) -> str:
    """The path with the separators that the last of ``u`` and ``w`` asks for.

    It is taken apart afterwards, at slashes alone: ``w`` leaves it in one piece.
    """
    last = max(flags.rfind("u"), flags.rfind("w"))
    if last < 0:
        return path
    return path.replace("\\", "/") if flags[last] == "u" else path.replace("/", "\\")


def extension_of(path: str) -> str:
    """The last dot and what follows it, unless the name begins with that dot."""
    name = base_name(path)
    dot = name.rfind(".")
    return name[dot:] if dot > 0 else ""


def _parts_of_name(flags: str, path: str) -> str:
    """The parts that ``p``, ``d``, ``n`` and ``x`` select; the whole without any of them."""
    if not set(flags) & set("pdnx"):
        return path
    directory, name, extension = directory_name(path), base_name(path), extension_of(path)
    result = ""
    if "d" in flags:
        folders = [f"{folder}/" for folder in directory.split("/")[:-1]]
        wanted = flags.count("d")
        if folders and wanted > len(folders):
            return ""
        result = "".join(folders[-wanted:])
    elif "p" in flags:
        result = directory
    if "n" in flags or ("x" in flags and result):
        result += name.removesuffix(extension)
    return result + (extension if "x" in flags else "")
