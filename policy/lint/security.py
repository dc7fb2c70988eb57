"""Checks levels, methods and lists of the security configuration.

Follows: the daemons of 25.14.1: a level is read by its first letter, methods that do not exist are
passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Final

from classad.errors import Diagnostic, suggest
from classad.patterns import late_regex
from policy.explain.roles import host_of
from policy.history import is_read
from policy.knobs.choices import SWITCHES
from policy.knobs.lists import is_list
from policy.knobs.obsolete import find_obsolete
from policy.knobs.other_daemons import DAEMONS
from policy.knobs.readers import find_readers
from policy.knobs.reading import split_list
from policy.language.about import EVERY
from policy.language.numbers import saturated
from policy.lint.finding import ERROR, NOTE, Joined, Per, Repair, finding, looks_at, meant
from policy.lint.view import Item, Setting, View
from policy.versions import NEWEST

#: Help of what ends whoever reads it.
_BLANKS_BEHIND: Final = late_regex(r"\s+[^\s,]")
_BLANKS_BEFORE: Final = late_regex(r"[^\s,]\s+\Z")
_ENDS_ALL: Final = "the daemons end when they read this"
_IPV4: Final = late_regex(r"(\d+)\.(\d+|\*)(?:\.(\d+|\*))?(?:\.(\d+|\*))?(?:/(\d+))?")
#: What looks like addresses from one to another, of networks with a part, and of a domain.
#: What has a port, or is an address of the web.
_PLACE: Final = late_regex(r"[a-z]+://.*|[\w.-]+:(?:\d+|\*)(?:\?.*)?")
_BEGINNING: Final = late_regex(r"(?:\d+\.){1,3}")
_RANGE: Final = late_regex(r"\d+(?:\.\d+){1,3}-[\d.]+")
_MIDDLE: Final = late_regex(r"(?:\d+\.)+(?:\*\.)+\d+(?:\.(?:\d+|\*))*")
#: A second `*` is a letter like others, but for one at each end.
_STARS: Final = late_regex(r".*[^*]\*[^*].*")
_DOMAIN: Final = late_regex(r"\.[A-Za-z][\w.-]*")
_FITTING: Final = "hosts are `10.3.*`, `10.3.0.0/16`, `*.example.edu` or whole names and addresses"
#: Users without an `@`, whom an item is meant for that is read as a host.
USERS: Final = late_regex(r"(?:root|nobody|anonymous|condor_pool)\*?", re.IGNORECASE)
#: What only lists of hosts and users have.
_WHO: Final = late_regex(r"[*@/]|\w\.\w")
#: The levels that lists are for; the longer ones first.
_LEVELS_OF_LISTS: Final = (
    *("ADVERTISE_MASTER", "ADVERTISE_SCHEDD", "ADVERTISE_STARTD", "ADMINISTRATOR", "NEGOTIATOR"),
    *("DAEMON", "CONFIG", "WRITE", "READ"),
)
_LEVEL_OF: Final = rf"ALLOW_({'|'.join(_LEVELS_OF_LISTS)})(_[A-Z]+)?"
_KNOWN_CIPHERS: Final = ("AES", "BLOWFISH", "3DES", "TRIPLEDES")
EVERYBODY: Final = ("*", "*/*", "*@*", "*@*/*")
#: The first word of three levels, which is none itself.
_ADVERTISE: Final = "ADVERTISE"
_BYTE: Final = 255
_BITS: Final = 32
_LEVELS: Final = ("REQUIRED", "PREFERRED", "OPTIONAL", "NEVER")
#: Words that count as levels, too, and mean what they count as.
_OTHER_WORDS: Final = ("YES", "NO", "TRUE", "FALSE", "NONE")
#: The level that a first letter stands for.
_BY_LETTER: Final = {
    **dict.fromkeys("RYT", "REQUIRED"),
    "P": "PREFERRED",
    "O": "OPTIONAL",
    "F": "NEVER",
    "N": "NEVER",
}
#: With so many letters in common a slip means what it counts as.
_ALIKE: Final = 3
#: The methods of authentication.
METHODS: Final = (
    *("SSL", "KERBEROS", "PASSWORD", "FS", "FS_REMOTE", "IDTOKEN", "IDTOKENS", "TOKEN", "TOKENS"),
    *("SCITOKEN", "SCITOKENS", "NTSSPI", "MUNGE", "CLAIMTOBE", "ANONYMOUS"),
)


@finding(
    "P231",
    "a security level that is none",
    "Levels are REQUIRED, PREFERRED, OPTIONAL and NEVER. The daemons look at the first letter only,"
    " so that ON counts as OPTIONAL and NEEDED as NEVER; at a letter that begins no level they end,"
    " with exit status 4.",
    bad="SEC_DEFAULT_ENCRYPTION = NEEDED\n",
    good="SEC_DEFAULT_ENCRYPTION = REQUIRED\n",
    of=r"SEC_\w+_(AUTHENTICATION|ENCRYPTION|INTEGRITY|NEGOTIATION)",
)
def level(view: View, setting: Setting) -> Iterator[Diagnostic]:
    word = setting.text().strip().upper()
    if not word or word in (*_LEVELS, *_OTHER_WORDS):
        return
    counts, none = _BY_LETTER.get(word[0]), f"`{setting.text()}` is no level"
    if counts is None:
        yield setting.say(level, none, setting.whole(), _ENDS_ALL, ends=EVERY)
    elif counts[:_ALIKE] != word[:_ALIKE]:
        message = f"{none}; for its first letter it counts as {counts}"
        yield setting.say(level, message, setting.whole(), f"levels are {', '.join(_LEVELS)}")


@finding(
    "P232",
    "an authentication method that does not exist",
    "The daemons pass over methods that they do not know. GSI is no longer supported.",
    bad="SEC_DEFAULT_AUTHENTICATION_METHODS = FS, IDTOKEN5\n",
    good="SEC_DEFAULT_AUTHENTICATION_METHODS = FS, IDTOKENS\n",
    per=Per.ITEM,
    of=r"SEC_\w+_AUTHENTICATION_METHODS",
)
def method(setting: Setting, item: Item) -> Iterator[Diagnostic]:
    name = item.text.upper()
    if name not in METHODS and not {item.text[0], item.text[-1]} & set("\"'"):
        otherwise = "GSI is no longer supported" if name == "GSI" else None
        message = f"there is no method `{item.text}`; it is passed over"
        if not any(one.text.upper() in METHODS for one in setting.items()):
            message = f"there is no method `{item.text}`, and no other one: nobody can authenticate"
        yield setting.say(method, message, item, meant(item.text, METHODS, otherwise))


@finding(
    "P233",
    "a semicolon in a list of hosts or users",
    "Items stand between commas and blanks; a semicolon belongs to its item, which fits nobody.",
    bad="ALLOW_WRITE = *.batch.example.edu; cm.example.edu\n",
    good="ALLOW_WRITE = *.batch.example.edu, cm.example.edu\n",
    observed="Not observed with a daemon: it follows from how lists are read.",
    holding=";",
)
def separator(view: View, setting: Setting) -> Iterator[Diagnostic]:
    text = setting.text()
    at = text.find(";")
    if at >= 0 and is_list(setting.macro):
        message = f"`;` separates no items of {setting.macro}"
        rest = text[at : text.rindex(";") + 1]
        advice = Repair(rest.replace(";", ","), rest, "separate them with commas")
        yield setting.say(separator, message, Item(";", at, at + 1), advice)


@finding(
    "P234",
    "a cipher that does not exist",
    "The ciphers are AES, BLOWFISH and 3DES, without a number of bits.",
    bad="SEC_DEFAULT_CRYPTO_METHODS = AES256, 3DES\n",
    good="SEC_DEFAULT_CRYPTO_METHODS = AES, 3DES\n",
    per=Per.ITEM,
    of=r"SEC_\w+_CRYPTO_METHODS",
    observed="Observed with 25.14.1: its daemons start without a word.",
)
def cipher(setting: Setting, item: Item) -> Iterator[Diagnostic]:
    if item.text.upper() not in _KNOWN_CIPHERS and '"' not in item.text:
        help_text = f"there are {', '.join(_KNOWN_CIPHERS[:3])}"
        yield setting.say(cipher, f"there is no cipher `{item.text}`", item, help_text)


@finding(
    "P235",
    "an address that is none",
    "A number of an IPv4 address is at most 255, a mask has at most 32 bits (128 for IPv6). What"
    " is no address fits no host. A pattern, as `10.3.*`, says who may come, and not where daemons"
    " go: FLOCK_TO and COLLECTOR_HOST name machines. A user and a host are one item, without a"
    " blank: with `condor@site / *.site` this user may come from everywhere, and everybody from the"
    " site. A range, as `10.3.0.1-9`, a `*` in the middle of an address, two of them in a name that"
    " are not its ends, and a domain that begins with a dot fit nobody; what begins with `http://`"
    " is no host, and nobody who comes has a port. An item without `@` is a host, as `root` would"
    " be, and so would be `True`; but what stands before a slash is a user, with a name, an `@`"
    " and a domain.",
    bad="ALLOW_WRITE = 10.3.0.0/40\n",
    good="ALLOW_WRITE = 10.3.0.0/16\n",
    per=Per.ITEM,
    of=r"(ALLOW|DENY)_\w+|NETWORK_INTERFACE|TCP_FORWARDING_HOST",
    observed="Observed with 25.14.1: its daemons start without a word, or with `strange entry /` in"
    " their logs; with such a NETWORK_INTERFACE they end with exit status 4; of `FLOCK_TO = 10.3.*`"
    " the schedd logs `Failed to start non-blocking update to unknown` again and again, of"
    " `http://...` each daemon `Invalid address`; the collector denies what only `.example.edu`, a"
    " range, `127.0.*.1`, `localhost:9618` or `node*.*.example.edu` would let in; of"
    " `DENY_WRITE = nobody*, root` the schedd logs `deny WRITE: */nobody* */root`.",
)
def network(setting: Setting, item: Item) -> Iterator[Diagnostic]:
    """Addresses with a number that is too great; whether a name is a host's is not asked."""
    if _is_parted(setting.text(), item):
        used = setting.config.scope.used_by(setting.entry)
        if any(entry is None for _, entry in used):
            return  # another file may say what stands beside it
        message = f"`{item.text}` lacks {'a user' if item.text[0] == '/' else 'a host'}"
        yield setting.say(network, message, item, "between a user, `/` and a host are no blanks")
        return
    if is_switch(setting, item):
        readers = find_readers(setting.macro)
        if readers is not None and readers.kind == "string":  # ALLOW_PSLOT_PREEMPTION is a switch
            yield switched(setting, item)
        return
    user, _, behind = item.text.partition("/")
    host = behind if "@" in user or user == "*" else item.text
    if USERS.fullmatch(item.text) and setting.upper != "NETWORK_INTERFACE":
        message = f"`{item.text}` is a host, and no user"
        yield setting.say(network, message, item, f"the user is `{item.text}@*`")
        return
    nobody = (
        _PLACE.fullmatch(host)
        or _RANGE.fullmatch(host)
        or _MIDDLE.fullmatch(host)
        or _DOMAIN.fullmatch(host)
    )
    if host.count("*") > 1:
        nobody = nobody or _STARS.fullmatch(host)
    if nobody is not None and setting.upper != "NETWORK_INTERFACE":
        yield setting.say(network, f"`{host}` fits no host", item, _FITTING)
        return
    found = _IPV4.fullmatch(host)
    *numbers, bits = found.groups() if found is not None else (None,)
    great = [one for one in numbers if one and one != "*" and saturated(one) > _BYTE]
    interface = setting.upper == "NETWORK_INTERFACE"
    if interface and item.text[0] in "\"'":
        why = "quotes are part of it"
    elif interface and _BEGINNING.fullmatch(item.text):
        why = "a `*` stands for the rest"
    elif great:
        why = f"{great[0]} is above {_BYTE}"
    elif bits is not None and saturated(bits) > _BITS:
        why = f"a mask has at most {_BITS} bits"
    elif bits is not None and None in numbers:
        why = "with a mask it has four numbers"
    elif bits is not None and interface:
        why = "that of an interface has no mask"
    else:
        return
    ends = (_ENDS_ALL, EVERY) if interface else (None, "")
    yield setting.say(network, f"`{host}` is no address: {why}", item, ends[0], ends=ends[1])


def is_switch(setting: Setting, item: Item) -> bool:
    """Is the whole value a word for on or off?"""
    return item.text.casefold() in SWITCHES and item.text == setting.text().strip()


def switched(setting: Setting, item: Item) -> Diagnostic:
    """A word for on or off in place of a host."""
    if setting.upper == "NETWORK_INTERFACE":
        return setting.say(network, f"`{item.text}` is no address", item, _ENDS_ALL, ends=EVERY)
    return setting.say(network, f"`{item.text}` is no host", item, as_name(item.text, "one"))


def as_name(switch: str, what: str) -> str:
    """What comes of a word for on or off that is read as a name, for the help of a finding."""
    none = "; with nothing behind the `=` there is none"
    tail = none if switch.casefold() in ("false", "no", "off") else ""
    return f"it is taken for the name of {what}{tail}"


def _is_parted(text: str, item: Item) -> bool:
    """Does a blank part a host, or what is before its slash, from the rest of the item?"""
    before, behind = text[: item.start], text[item.end :]
    if item.text[-1] == "/" and _BLANKS_BEHIND.match(behind):
        return True
    return item.text[0] == "/" and _BLANKS_BEFORE.search(before) is not None


@finding(
    "P239",
    "a domain or a key for which no token can be made",
    "TRUST_DOMAIN is one name, which the tokens have that are made here. With a blank or a comma in"
    " it none can be made. A key is the name of a file in SEC_PASSWORD_DIRECTORY, and no path.",
    bad="TRUST_DOMAIN = example.edu, example.org\n",
    good="TRUST_DOMAIN = example.edu\n",
    of="TRUST_DOMAIN",
    observed="Observed with condor_token_create of 25.14.1: `Issuer namespace may not contain"
    " spaces or commas`, and for a key with a path `Failed to read file`, with the folder twice.",
)
def no_issuer(view: View, setting: Setting) -> Iterator[Diagnostic]:
    text = setting.text().strip()
    if len(setting.items()) > 1 or "," in text:
        message = "no token can be made for a domain with blanks or commas"
        yield setting.say(no_issuer, message, setting.whole(), "name one domain")


@looks_at(Per.SETTING, of="SEC_TOKEN_ISSUER_KEY|SEC_TOKEN_AP_SIGNING_KEY_NAME")
def no_key(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """A path in place of the name of a key, which is looked for in SEC_PASSWORD_DIRECTORY."""
    text = setting.text().strip()
    name = text.rpartition("/")[2]
    if "/" in text and name:
        message = f"`{text}` is no name of a key, but a path"
        help_text = f"it is the name of a file in SEC_PASSWORD_DIRECTORY: `{name}`"
        yield setting.say(no_issuer, message, setting.whole(), Repair(name, text, help_text))


@finding(
    "P238",
    "a list for a level that does not exist",
    "Lists of who may do what are ALLOW_<level> and DENY_<level>, with a daemon's name behind that"
    " or before the whole. Nobody reads a list for another word: daemons are no levels, and"
    " ADVERTISE alone is none; REMOTE_SUBMIT never was one.",
    bad="ALLOW_COLLECTOR = condor_pool@example.edu\n",
    good="ALLOW_DAEMON = condor_pool@example.edu\n",
    of=r"(ALLOW|DENY)_\w+",
    observed="Observed with 25.14.1: with D_SECURITY each daemon logs the levels that it knows.",
)
def no_level(view: View, setting: Setting) -> Iterator[Diagnostic]:
    verb, _, word = setting.upper.partition("_")
    is_level = setting.knob is not None or find_readers(setting.macro) is not None
    is_word = word in DAEMONS or word == _ADVERTISE or _is_of_lists(setting, word)
    if is_word and not is_level and setting.folded not in view.words:
        message = f"there is no level {word}, so nobody reads {setting.macro}"
        help_text = f"a list for one daemon is `{word}.{verb}_DAEMON`, for instance"
        if word == _ADVERTISE:
            help_text = "there are three: ADVERTISE_MASTER, ADVERTISE_SCHEDD, ADVERTISE_STARTD"
        elif word not in DAEMONS:
            help_text = "there are WRITE, READ, DAEMON, NEGOTIATOR, ADMINISTRATOR, CONFIG, ..."
        yield no_level.named(setting.entry, message, help_text)


def _is_of_lists(setting: Setting, word: str) -> bool:
    """Is a word like no level, and does who or where stand behind it?"""
    like = word.startswith(_LEVELS_OF_LISTS) or suggest(word, _LEVELS_OF_LISTS) is not None
    known = like or find_obsolete(setting.macro) or not is_read(setting.macro, NEWEST)
    return not known and _WHO.search(setting.text()) is not None


@finding(
    "P236",
    "a list that lets in and is closed again",
    "DENY_* wins over ALLOW_* of the same level, so `*` there shuts everybody out.",
    bad="ALLOW_WRITE = *.batch.example.edu\nDENY_WRITE = *\n",
    good="ALLOW_WRITE = *.batch.example.edu\nDENY_WRITE = guest.batch.example.edu\n",
    per=Per.ITEM,
    of=r"DENY_\w+",
    observed="Observed with 25.14.1: its collector logs `PERMISSION DENIED ... authorization policy"
    " denies all access` for what ALLOW_* lets in.",
)
def closed(setting: Setting, item: Item) -> Iterator[Diagnostic]:
    """DENY_* of everybody where ALLOW_* of the same level names some."""
    allowed = f"ALLOW_{setting.macro.partition('_')[2]}"
    if item.text not in EVERYBODY or not setting.beside(allowed).strip():
        return
    if setting.config.lookup(allowed) is not None:
        message = f"{setting.macro} shuts out everybody that {allowed} lets in"
        yield setting.say(closed, message, item)


#: As whom those come that daemons know without asking them, and those that nobody asks.
_NOT_ASKED: Final = (
    *("condor@child", "condor@parent", "condor@family"),
    *("execute-side@matchsession", "submit-side@matchsession", "unauthenticated@unmapped"),
)
#: As whom those come that know the password of the pool; the two names are one.
_POOL: Final = ("condor@password", "condor_pool@password")


@finding(
    "P240",
    "a list of users as whom nobody comes",
    "Where SEC_<level>_AUTHENTICATION is NEVER, everybody is `unauthenticated@unmapped`, whom no"
    " entry for a user of a domain fits, and a list of such entries lets nobody in. Who comes with"
    " PASSWORD is `condor@password` whatever UID_DOMAIN is, and nobody is `condor_pool@` a domain.",
    bad="SEC_DEFAULT_AUTHENTICATION = NEVER\nALLOW_WRITE = *@example.edu\n",
    good="SEC_DEFAULT_AUTHENTICATION = REQUIRED\nALLOW_WRITE = *@example.edu\n",
    of=_LEVEL_OF,
    elsewhere=True,
    observed="Observed with 25.14.1: its collector denies `unauthenticated@unmapped` what only"
    " `*@example.edu` would let in, and lets in for `*@*` and `unauthenticated@*`;"
    " with PASSWORD it, and that of 23.9.6, lets in `condor@password`, `condor_pool@password` and"
    " `condor@*`, and denies who is `condor_pool@` its UID_DOMAIN.",
)
def nobody_comes(view: View, setting: Setting) -> Iterator[Diagnostic]:
    context = setting.upper.partition("_")[2]
    context = next(one for one in _LEVELS_OF_LISTS if context.startswith(one))
    level_ = _in_force(setting, context, "AUTHENTICATION")
    ways = _in_force(setting, context, "AUTHENTICATION_METHODS")
    methods = {one.upper() for one in split_list(setting.beside(ways))}
    items = setting.items()
    users = [one.text.partition("/")[0].casefold() for one in items]
    who: tuple[str, ...] = _NOT_ASKED[-1:]
    why = f"{level_} is NEVER"
    if _counts(setting.beside(level_)) != "NEVER":
        who, why = _POOL, f"{ways} is {' and '.join(sorted(methods))}"
        of_pool = all(user.startswith("condor_pool@") for user in users)
        alone = methods == {"PASSWORD"} or (of_pool and methods == {"FS", "PASSWORD"})
        if not alone or setting.beside("CERTIFICATE_MAPFILE").strip():
            return
    anybody = any(
        "@" not in user or user[-1] == "@" or "$" in user or fnmatchcase(known, user)
        for user in users
        for known in (*_NOT_ASKED, *who)
    )
    if items and not anybody:
        shown = items[0].text.partition("/")[0]
        whoever = "who has the password" if len(methods) > 1 and who == _POOL else "whoever comes"
        message = f"{whoever} is `{who[0]}`, and nobody is `{shown}`"
        yield setting.say(nobody_comes, message, items[0], why)


#: What a startd's ad needs, and where it may stand.
_LETS_ADS_IN: Final = ("ALLOW_DAEMON", "ALLOW_ADVERTISE_STARTD")
_OF_THE_COLLECTOR: Final = ("{}", "{}_COLLECTOR", "COLLECTOR.{}")
#: What the file says that HTCondor reads first, in place of the one that a package brings.
_OF_FIRST_FILES: Final = ("LOCAL_DIR", "RELEASE_DIR")


@finding(
    "P255",
    "a collector that takes no ads of other machines",
    "Startds, schedds and masters advertise themselves at the level DAEMON, or at ADVERTISE_STARTD,"
    " ADVERTISE_SCHEDD and ADVERTISE_MASTER. Since 9.0 these levels no longer take the list of"
    " WRITE, and without a list of their own they let nobody in but the daemons of the collector's"
    " own condor_master. Where ALLOW_DAEMON may stand in another file, as the one that HTCondor's"
    " packages install, reports only name it.",
    bad="RELEASE_DIR = /usr\nLOCAL_DIR = /var\nDAEMON_LIST = MASTER, COLLECTOR\n"
    "ALLOW_WRITE = *.example.edu\n",
    good="RELEASE_DIR = /usr\nLOCAL_DIR = /var\nDAEMON_LIST = MASTER, COLLECTOR\n"
    "ALLOW_WRITE = *.example.edu\nALLOW_DAEMON = *.example.edu\n",
    of=r"ALLOW_WRITE(_COLLECTOR)?",
    elsewhere=True,
    brought="{name} for the ads of other machines",
    observed="Observed with 25.14.1 and 23.9.6: their collectors deny UPDATE_STARTD_AD with"
    " `ADVERTISE_STARTD authorization policy denies all access`, and let it in for any of"
    " ALLOW_DAEMON, ALLOW_DAEMON_COLLECTOR, COLLECTOR.ALLOW_DAEMON, ALLOW_ADVERTISE_STARTD.",
    joined=Joined.BY_NEED,
)
def no_ads(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """A list for WRITE alone, where a collector runs for startds that are elsewhere."""
    host = host_of(setting.config)
    names = [form.format(name) for name in _LETS_ADS_IN for form in _OF_THE_COLLECTOR]
    collects = host.listed is not None and host.runs("COLLECTOR") and not host.runs("STARTD")
    if setting.is_unread or not collects or any(setting.beside(name) for name in names):
        return
    message = f"{setting.macro} lets no other machine advertise itself: no ALLOW_DAEMON does"
    about = {"names": _LETS_ADS_IN[:1], "needs": _LETS_ADS_IN[0]}
    said = no_ads.named(setting.entry, message, **about)
    if not all(name.casefold() in view.defined for name in _OF_FIRST_FILES):
        said.severity = NOTE
    yield said


#: What has to be done for another thing to be done, the first thing first.
_NEEDED: Final = {
    "AUTHENTICATION": ("NEGOTIATION",),
    "ENCRYPTION": ("NEGOTIATION", "AUTHENTICATION"),
    "INTEGRITY": ("NEGOTIATION", "AUTHENTICATION"),
}


@finding(
    "P237",
    "security that is required where what it needs is never done",
    "What daemons do on a connection they agree on by negotiation, and keys for encryption and"
    " integrity while they authenticate each other. Where SEC_<context>_NEGOTIATION is NEVER, and"
    " what is REQUIRED besides needs it, the policy is invalid: nobody can talk to the daemon, or"
    " the client to nobody. So it is with SEC_<context>_AUTHENTICATION = NEVER and required"
    " encryption or integrity. What a context does not say, SEC_DEFAULT_* says.",
    bad="SEC_DEFAULT_AUTHENTICATION = NEVER\nSEC_DEFAULT_ENCRYPTION = REQUIRED\n",
    good="SEC_DEFAULT_AUTHENTICATION = REQUIRED\nSEC_DEFAULT_ENCRYPTION = REQUIRED\n",
    of=r"SEC_\w+_(NEGOTIATION|AUTHENTICATION|ENCRYPTION|INTEGRITY)",
    silenceable=False,
    observed="Observed with 25.14.1: its collector logs `Our security policy is invalid!` or"
    " `SECMAN: failure! can't resolve security policy`, and condor_status says `Configuration"
    " Problem: The security policy is invalid`.",
    severity=ERROR,
)
def unauthenticated(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """What needs another thing, and is required where that is never done."""
    context, _, thing = setting.upper[len("SEC_") :].rpartition("_")
    counts = _counts(setting.text())
    if counts == "REQUIRED":
        for needed in _NEEDED.get(thing, ()):
            name = _in_force(setting, context, needed)
            if _counts(setting.beside(name)) == "NEVER":
                yield _invalid(setting, setting.macro, name)
                return
    elif counts == "NEVER":
        for other, needs in _NEEDED.items():
            name = _in_force(setting, context, other)
            told = name.startswith(f"SEC_{context}_") and name.casefold() in view.defined
            if thing in needs and not told and _counts(setting.beside(name)) == "REQUIRED":
                yield _invalid(setting, name, setting.macro)
                return


def _in_force(setting: Setting, context: str, thing: str) -> str:
    """The macro that says in a context how a thing is done."""
    own = f"SEC_{context}_{thing}"
    return own if setting.beside(own).strip() else f"SEC_DEFAULT_{thing}"


def _invalid(setting: Setting, required: str, never: str) -> Diagnostic:
    message = f"{required} is REQUIRED, and {never} is NEVER"
    help_text = "the security policy is invalid, and nobody can talk to the daemons"
    if "_CLIENT_" in f"{required} {never}":
        help_text = "the security policy is invalid, and what connects to a daemon fails"
    return setting.say(unauthenticated, message, setting.whole(), help_text)


def _counts(text: str) -> str | None:
    """The level that a text counts as."""
    return _BY_LETTER.get(text.strip().upper()[:1])
