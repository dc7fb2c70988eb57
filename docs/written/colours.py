"""Writes the colours of editors, a TextMate grammar and a Vim syntax, from one list of rules.

``python -m docs.written condor-config.tmLanguage.json`` prints one; the words stand in the
declarations of the language.  Patterns keep to what Python, Oniguruma and, translated, Vim share.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Final, NamedTuple

from classad.evaluation.functions import load
from classad.language.operators import TOKENS
from policy.editing.texts import LITERALS, OPERATORS, SCOPES
from policy.language.statements import KEYWORDS

_WRITTEN: Final = "Written by `python -m docs.written %s`; edit docs/written/colours.py."
#: What is coloured, as TextMate and as Vim call it.
KINDS: Final[Mapping[str, tuple[str, str]]] = {
    "comment": ("comment.line.number-sign", "Comment"),
    "keyword": ("keyword.control", "Statement"),
    "macro": ("entity.name.variable", "Identifier"),
    "assign": ("keyword.operator.assignment", "Operator"),
    "template": ("support.class", "Type"),
    "string": ("string.quoted.double", "String"),
    "reference": ("variable.other", "PreProc"),
    "number": ("constant.numeric", "Number"),
    "literal": ("constant.language", "Constant"),
    "scope": ("variable.language", "Special"),
    "function": ("support.function", "Function"),
    "operator": ("keyword.operator", "Operator"),
}


class Rule(NamedTuple):
    """What looks so is of this kind; with ``end`` all up to that, ``inside`` of other kinds.

    ``first``: of a region that begins with a name, what its first group is; a region without it is
    of its kind at both ends, and with ``whole`` all through.
    """

    kind: str
    pattern: str
    end: str = ""
    inside: tuple[str, ...] = ()
    first: str = ""
    whole: bool = False


def _any(words: Iterable[str]) -> str:
    longest = sorted(words, key=lambda word: (-len(word), word))
    return "(?:" + "|".join(map(re.escape, longest)) + ")"


_BEGIN: Final = r"^[ \t]*"
_NAME: Final = r"[A-Za-z0-9_./$()-]+"
_WORD: Final = r"(?<![A-Za-z0-9_.])%s(?![A-Za-z0-9_.])"
#: The end of a line that does not go on; TextMate has one before and one behind the newline.
_LINE: Final = r"(?<![\\\n])$"
_BEHIND: Final = r"(?![A-Za-z0-9_])"


def _values() -> dict[str, Rule]:
    """What values are made of."""
    signs = [sign for sign in TOKENS if len(sign) > 1 or sign in "<>!"]
    functions = {one.name for one in load().values()}
    number = r"(?<![A-Za-z0-9_./])(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?(?![A-Za-z0-9_./])"
    return {
        "string": Rule("string", '"', rf'"|{_LINE}', ("escape", "reference"), whole=True),
        "escape": Rule("string", r"\\."),
        "reference": Rule("reference", r"\$\$?[A-Za-z_]*\((?:[^()\n]|\([^()\n]*\))*\)"),
        "number": Rule("number", number),
        "literal": Rule("literal", _WORD % _any(LITERALS)),
        "scope": Rule("scope", rf"(?<![A-Za-z0-9_.]){_any(SCOPES)}(?=\.)"),
        "function": Rule("function", rf"(?<![A-Za-z0-9_.]){_any(functions)}(?=[ \t]*\()"),
        "word": Rule("operator", _WORD % _any(OPERATORS)),
        "operator": Rule("operator", _any(signs)),
    }


#: What a value may hold, in this order.
VALUE: Final = tuple(name for name in _values() if name != "escape")


def config_rules() -> dict[str, Rule]:
    """The rules for configurations; those before others win."""
    statements = _any(word for word in KEYWORDS if word != "use") + _BEHIND
    assign = r"(?:\+[,;|&*]{0,2}=|=|:)"
    lead = rf"{_BEGIN}:?"
    return {
        "comment": Rule("comment", rf"{_BEGIN}#.*$"),
        "condition": Rule(
            "keyword", rf"{lead}(?:if|elif|else|endif){_BEHIND}", _LINE, ("asked", *VALUE)
        ),
        "use": Rule(
            "keyword", rf"{_BEGIN}@?use{_BEHIND}(?=[^=\n]*:)", _LINE, ("reference", "template")
        ),
        "statement": Rule(
            "keyword", rf"{_BEGIN}@?{statements}(?=[^=\n]*:)", _LINE, ("option", "reference")
        ),
        "block": Rule(
            "macro", rf"{_BEGIN}{_NAME}[ \t]*@=[ \t]*([A-Za-z0-9_]+)[ \t]*$",
            rf"{_BEGIN}@\1[ \t]*$", VALUE,
        ),
        "assignment": Rule(
            "assign", rf"({lead}{_NAME})[ \t]*{assign}", _LINE, ("comment", *VALUE), first="macro"
        ),
        "asked": Rule("keyword", _WORD % "(?:defined|version|use)"),
        "option": Rule("keyword", _WORD % "(?:ifexists?|command|output|into)"),
        "template": Rule("template", r"[A-Za-z][A-Za-z0-9_]*"),
        **_values(),
    }  # fmt: skip


def ad_rules() -> dict[str, Rule]:
    """The rules for ads and expressions."""
    name = rf"{_BEGIN}[A-Za-z_][A-Za-z0-9_]*(?=[ \t]*=(?![=?!]))"
    return {
        "comment": Rule("comment", rf"{_BEGIN}(?:#|//).*$"),
        "name": Rule("macro", name),
        **_values(),
    }


#: The rules that hold within others only.
_INNER: Final = ("asked", "escape", "option", "template")


# --- TextMate -------------------------------------------------------------------------------------


def textmate(language: str, title: str, rules: Mapping[str, Rule]) -> str:
    """The grammar for TextMate and whoever took it over: Visual Studio Code, for instance."""
    top = [
        name
        for name in rules
        if name not in _INNER and (language == "classad" or name not in VALUE)
    ]
    grammar = {
        "information_for_contributors": [_WRITTEN % f"{language}.tmLanguage.json"],
        "name": title,
        "scopeName": f"source.{language}",
        "patterns": [{"include": f"#{name}"} for name in top],
        "repository": {name: _textmate(language, rule) for name, rule in rules.items()},
    }
    return json.dumps(grammar, indent=1) + "\n"


def _textmate(language: str, rule: Rule) -> dict[str, object]:
    scope = f"{KINDS[rule.kind][0]}.{language}"
    if not rule.end:
        return {"match": f"(?i){rule.pattern}", "name": scope}
    first = {"1": {"name": f"{KINDS[rule.first][0]}.{language}"}} if rule.first else {}
    found: dict[str, object] = {
        "begin": f"(?i){rule.pattern}",
        "beginCaptures": {"0": {"name": scope}, **first},
        "end": f"(?i){rule.end}",
        "endCaptures": {"0": {"name": scope}},
        "patterns": [{"include": f"#{name}"} for name in rule.inside],
    }
    if rule.whole:
        found["name"] = scope
    return found


# --- Vim ------------------------------------------------------------------------------------------

_TOKEN: Final = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?(?:<?[=!]|:)|.", re.DOTALL)
_AROUND: Final = {"(?=": "@=", "(?!": "@!", "(?<!": "@<!", "(?<=": "@<="}


def vim_pattern(pattern: str) -> str:
    """A pattern as Vim writes it, very magic; between backticks, which no pattern has."""
    found: list[str] = []
    ends: list[str] = []
    for token in _TOKEN.findall(pattern):
        if token in _AROUND or token in ("(", "(?:"):
            found.append("%(" if token == "(?:" else "(")
            ends.append(")" + _AROUND.get(token, ""))
        elif token == ")":
            found.append(ends.pop())
        elif token in "<>=@%~&" or token in (r"\-", r"\&", r"\~", r"\#", r"\ ", r"\<", r"\>"):
            found.append(token[1:] if token in (r"\-", r"\#", r"\ ") else "\\" + token[-1])
        else:
            found.append(token)
    return r"\v" + "".join(found)


def vim(language: str, title: str, rules: Mapping[str, Rule]) -> str:
    """The syntax for Vim and Neovim; what stands later wins."""
    prefix = language.replace("-", "").replace("config", "")
    lines = [f'" Vim syntax of {title}. {_WRITTEN % f"{language}.vim"}', ""]
    lines += [
        "if exists('b:current_syntax')",
        "  finish",
        "endif",
        "syn case ignore",
        "syn sync fromstart",
    ]
    for name, rule in reversed([*rules.items()]):
        is_inner = name in _INNER or (language != "classad" and name in VALUE)
        lines += _vim(prefix, name, rule, is_inner)
    lines.append("")
    kinds = dict.fromkeys(
        kind for rule in rules.values() for kind in (rule.kind, rule.first) if kind
    )
    for kind in kinds:
        lines.append(f"hi def link {prefix}_{kind} {KINDS[kind][1]}")
    lines += [f"let b:current_syntax = '{language}'", ""]
    return "\n".join(lines)


def _vim(prefix: str, name: str, rule: Rule, is_inner: bool) -> Iterator[str]:
    contained = " contained" if is_inner else ""
    kind, group = f"{prefix}_{rule.kind}", f"{prefix}_{name}_"
    if not rule.end:
        yield f"syn match {group} `{vim_pattern(rule.pattern)}`{contained}"
        yield f"hi def link {group} {kind}"
        return
    inside = ",".join(f"{prefix}_{one}_" for one in rule.inside)
    pattern, end, skip = vim_pattern(rule.pattern), rule.end, r"skip=`\\$` "
    if rule.first:
        # A match for the name, and behind it the region.
        head, tail = rule.pattern.split(")[ \\t]*", 1)
        named = vim_pattern(rf"{head[1:]}(?=[ \t]*{tail})")
        yield f"syn match {group}name_ `{named}` nextgroup={group} skipwhite"
        yield f"hi def link {group}name_ {prefix}_{rule.first}"
        pattern, contained = vim_pattern(tail), " contained"
    if "\\1" in end:
        at = pattern.rindex("([")
        pattern = f"{pattern[:at]}\\z{pattern[at:]}"
        ends, skip = f"end=`{vim_pattern(end).replace(chr(92) + '1', chr(92) + 'z1')}`", ""
    elif rule.whole:
        ends, skip = 'end=/"/ end=/$/', r"skip=/\\\_./ "
    else:
        ends = "end=/$/ keepend"
    colour = "" if rule.whole else f"matchgroup={kind} "
    yield f"syn region {group} {colour}start=`{pattern}` {skip}{ends}{contained} contains={inside}"
    if rule.whole:
        yield f"hi def link {group} {kind}"


_TITLES: Final = {
    "condor-config": "HTCondor configuration",
    "classad": "ClassAd",
}


@cache
def pages() -> dict[str, str]:
    """All files, by their names."""
    found = {}
    for language, title in _TITLES.items():
        rules = config_rules() if language == "condor-config" else ad_rules()
        found[f"{language}.tmLanguage.json"] = textmate(language, title, rules)
        found[f"{language}.vim"] = vim(language, title, rules)
    return found
