"""Checks who gets in, how and as whom: lists of hosts, methods, certificates, accounts of slots.

Follows: the daemons of 25.14.1, started with such settings; the manual for what a starter does
with the accounts of slots.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Final

from classad.builtins.pcre import compile_pattern
from classad.errors import Diagnostic
from classad.patterns import late_regex
from policy.explain.roles import host_of
from policy.knobs.reading import split_list
from policy.lint.agreement import DISAGREE, addresses, first_of, methods, setting_of
from policy.lint.daemons import THIS_MACHINE
from policy.lint.finding import Meant, Per, looks_at
from policy.lint.paths import no_whole_path
from policy.lint.security import METHODS, USERS, network, no_ads
from policy.lint.view import Item, Setting, View

#: A name without a folder before it.
_PLAIN: Final = late_regex(r"[\w.-]+(/[\w.-]+)*")
_ACCOUNT: Final = late_regex(r"SLOT\d+(_\d+)?_USER", re.IGNORECASE)


@looks_at(Per.SETTING, of="DEDICATED_EXECUTE_ACCOUNT_REGEXP")
def of_no_account(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """A pattern that no account of SLOT1_1_USER has."""
    accounts = [one.text().strip() for one in view.index.fitting(_ACCOUNT)]
    pattern = compile_pattern(f"^(?:{setting.text().strip()})$", "")
    usual = [one for one in accounts if one and one != "nobody" and "$" not in one]
    left = [one for one in usual if pattern is not None and not pattern.search(one.encode())]
    if left:
        which = "no account" if len(left) == len(usual) else "not every account"
        message = f"{which} of SLOT<n>_USER is called so: `{left[0]}`"
        help_text = "condor_starter leaves behind what jobs under these accounts start"
        yield setting.say(DISAGREE, message, setting.whole(), help_text)


#: Of these there is a finding of their own.
_EVERYBODY: Final = frozenset(("*", "*@*", "*/*", "*@*/*"))


@looks_at(Per.SETTING, of=r"DENY_\w+")
def takes_all(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """``DENY_WRITE = *@example.org`` beside ALLOW_WRITE = *@example.org."""
    allowed = setting_of(view, f"ALLOW_{setting.macro[5:].upper()}")
    denied = [item.text.casefold() for item in setting.items()]
    let_in = [] if allowed is None else [item.text.casefold() for item in allowed.items()]
    for item in setting.items() if let_in and _EVERYBODY.isdisjoint(denied) else ():
        covered = [one for one in let_in if fnmatchcase(one, item.text.casefold())]
        if covered and ("*" in item.text or len(let_in) == len(covered)):
            message = f"it takes away `{covered[0]}`, which ALLOW_{setting.macro[5:]} lets in"
            yield setting.say(DISAGREE, message, item, "what is denied counts first")
            return


#: A user and a domain with a slash between them, before that of the host.
_SLASHES: Final = late_regex(r"([^@/]+)/([^/@]*[a-z][^/@]*/.*)", re.IGNORECASE)
#: What stands for a user, without a name, or without a domain before the slash of a host.
_NO_USER: Final = late_regex(
    r"(@[\w.*-]+)(?:/.*)?|((?:\*\.)?[a-z][\w-]*(?:\.[\w-]+)*)/[^/]+", re.IGNORECASE
)


@looks_at(Per.ITEM, of=r"(ALLOW|DENY)_\w+")
def without_at_sign(setting: Setting, item: Item) -> Iterator[Diagnostic]:
    """``ALLOW_READ = */cs.example.edu/*``, which lets nobody in."""
    found, user = _SLASHES.fullmatch(item.text), _NO_USER.fullmatch(item.text)
    if found is not None:
        message = f"`{item.text}` lets nobody in: `@` stands between a user and a domain"
        yield setting.say(network, message, item, Meant(f"{found[1]}@{found[2]}", item.text))
    elif user is not None:
        message = (
            f"no user is called `{user[1] or user[2]}`: a user has a name, an `@` and a domain"
        )
        help_text = "`*@example.edu` is every user of a domain, `*.example.edu` every host"
        yield setting.say(network, message, item, help_text)
    elif (mask := _SHORT_MASK.fullmatch(item.text)) is not None:
        message = f"`{mask[1]}` is no mask: it has four numbers, or is how many bits they have"
        yield setting.say(network, message, item)


_SHORT_MASK: Final = late_regex(r"(?:.*/)?\d+(?:\.\d+){3}/(\d+(?:\.\d+){1,2})")
_KEY: Final = late_regex(r"(?i).*key[^/]*")
_CERTIFICATE: Final = late_regex(r"(?i).*(cert|crt)[^/]*")


@looks_at(Per.SETTING, of="AUTH_SSL_(SERVER|CLIENT)_(CERT|KEY)FILE")
def key_for_certificate(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """A file that is called a key where a certificate is asked for, and the other way round."""
    name = setting.text().strip().rpartition("/")[2]
    is_key, is_certificate = _KEY.fullmatch(name), _CERTIFICATE.fullmatch(name)
    wants_key, swapped = "KEY" in setting.upper, bool(is_key) != bool(is_certificate)
    if swapped and bool(is_key) != wants_key and "," not in name:
        what = "a key" if is_key else "a certificate"
        message = f"{setting.macro} is called {what}: `{name}`"
        yield setting.say(DISAGREE, message, setting.whole(), "the two are exchanged")


@looks_at(Per.SETTING, of="ALLOW_ADVERTISE_SCHEDD(_COLLECTOR)?")
def without_flocking(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """Hosts of FLOCK_FROM, whose schedds may not say that they have jobs."""
    source = setting_of(view, "FLOCK_FROM")
    come = [] if source is None else [item.text for item in source.items()]
    allowed = [item.text.casefold() for item in setting.items()]
    if setting.entry.extends_unread or not {"@", "/", ":"}.isdisjoint("".join((*come, *allowed))):
        return
    left = [one for one in come if not any(fnmatchcase(one.casefold(), text) for text in allowed)]
    if allowed and left and "*" not in left[0]:
        message = f"it does not let in `{left[0]}` of FLOCK_FROM, whose jobs nobody sees"
        yield setting.say(DISAGREE, message, setting.whole(), "add `$(FLOCK_FROM)`")


@looks_at(Per.CONFIGURATION)
def one_account(view: View) -> Iterator[Diagnostic]:
    """One account of two slots among others that have their own: jobs of both are one user's."""
    taken: dict[tuple[str, str], list[Setting]] = {}
    for setting in view.index.fitting(_ACCOUNT):
        found, name = _ACCOUNT.fullmatch(setting.macro), setting.text().strip()
        if found is not None and name and name != "nobody":
            kind = setting.macro.rpartition("_")[0].rpartition("_")[0] if found[1] else ""
            taken.setdefault((kind.upper(), name), []).append(setting)
    for (kind, name), slots in taken.items():
        others = sum(key[0] == kind for key in taken) - 1
        dedicated = bool(slots[0].beside("DEDICATED_EXECUTE_ACCOUNT_REGEXP"))
        if len(slots) == 2 and (others or dedicated):  # more of them share it on purpose
            message = f"{slots[0].macro} is {name}, too: jobs of two slots are one user's"
            help_text = "when one ends, condor_starter may end what the other has started"
            yield slots[1].say(DISAGREE, message, slots[1].whole(), help_text)


@looks_at(Per.ITEM, of=r"(ALLOW|DENY)_(?!CLIENT)\w+")
def domain_as_host(setting: Setting, item: Item) -> Iterator[Diagnostic]:
    """``ALLOW_WRITE = $(UID_DOMAIN)``."""
    if not set("*@/:").isdisjoint(item.text) or "." not in item.text:
        return
    domain = setting.beside("UID_DOMAIN").strip().casefold()
    hosts = (setting.beside(name).casefold() for name in ("CONDOR_HOST", "FULL_HOSTNAME"))
    own = setting.config.lookup("UID_DOMAIN")
    if own is None or own.is_builtin or "." not in domain or item.text.casefold() != domain:
        return
    if not any(domain in host.split() for host in hosts):
        message = f"`{item.text}` is a domain, and means one host of that name"
        yield setting.say(network, message, item, f"hosts are `*.{domain}`, users `*@{domain}`")


@looks_at(Per.SETTING, of="ALLOW_ADMINISTRATOR")
def everybody_rules(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """``ALLOW_ADMINISTRATOR = *`` beside an ALLOW_WRITE that lets in fewer."""
    others = [setting_of(view, f"ALLOW_{level}") for level in ("WRITE", "DAEMON", "READ")]
    narrow = [one for one in others if one and _EVERYBODY.isdisjoint(split_list(one.text()))]
    if narrow and not _EVERYBODY.isdisjoint(split_list(setting.text())):
        message = f"{setting.macro} lets everybody in, and {narrow[0].macro} does not"
        help_text = "who is let in may stop the daemons, and do what all others may"
        yield setting.say(network, message, setting.whole(), help_text)


@looks_at(Per.CONFIGURATION)
def user_as_host(view: View) -> Iterator[Diagnostic]:
    """``ALLOW_WRITE = ada`` beside ``ALLOW_READ = ada@*``: without an `@` it is a host."""
    lists = [one for one in view.plain.values() if one.upper.startswith(("ALLOW_", "DENY_"))]
    items = [(one, item) for one in lists for item in one.items()]
    texts = [item.text.casefold() for _, item in items]
    users = {text.partition("@")[0] for text in texts if "@" in text}
    places = [text for text in texts if "@" not in text] + [view.text("CONDOR_HOST").casefold()]
    hosts = {text.partition(".")[0] for text in places if "." in text}
    for setting, item in items:
        name = item.text.casefold()
        if name.isidentifier() and name in users - hosts and not USERS.fullmatch(name):
            message = f"`{item.text}` is a host here, and a user elsewhere"
            yield setting.say(network, message, item, f"the user is `{item.text}@*`")


@looks_at(Per.SETTING, of="UID_DOMAIN|FILESYSTEM_DOMAIN|EMAIL_DOMAIN|DEFAULT_DOMAIN_NAME")
def more_than_one_name(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """``UID_DOMAIN = *.example.org``, ``EMAIL_DOMAIN = @example.org``: a domain is a name."""
    text = setting.text().strip()
    sign = next((sign for sign in "@,; \t" if sign in text), "*" if text[1:2] == "." else "")
    if sign and sign in text and "$" not in text and '"' not in text:
        message = f"{setting.macro} is one name, and `{text}` has a `{sign}`"
        yield setting.say(network, message, setting.whole(), "it is compared as it is")


_ONE_FILE: Final = late_regex(r".*\.(pem|crt|cer|cert|key)", re.IGNORECASE)


@looks_at(Per.SETTING, of=r"AUTH_SSL_(SERVER|CLIENT)_CA(DIR|FILE)")
def folder_or_file(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """A file where a folder of certificates is asked for."""
    text = setting.text().strip()
    if setting.upper.endswith("DIR") and _ONE_FILE.fullmatch(text):
        message = f"{setting.macro} is a folder, and `{text}` a file"
        where = setting.upper.replace("DIR", "FILE")
        yield setting.say(DISAGREE, message, setting.whole(), f"a file is for {where}")


_FILES: Final = (
    "CERTIFICATE_MAPFILE|SINGULARITY_TARGET_DIR|KERBEROS_(SERVER|CLIENT)_KEYTAB|KERBEROS_MAP_FILE"
    "|AUTH_SSL_(SERVER|CLIENT)_(CA|CERT|KEY)(FILE|DIR)|SEC_PASSWORD_(FILE|DIRECTORY)"
    "|SEC_TOKEN_(DIRECTORY|SYSTEM_DIRECTORY|POOL_SIGNING_KEY_FILE)|POOL_HISTORY_DIR"
)


@looks_at(Per.SETTING, of=_FILES)
def map_without_folder(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """A map, a key or a folder that is looked for where a daemon runs."""
    text = setting.text().strip()
    if text and _PLAIN.fullmatch(text):
        message = f"{setting.macro}: `{text}` is no whole path"
        yield setting.say(no_whole_path, message, setting.whole(), "write where it is")


#: What names the machine itself, besides its macros.
_ITSELF: Final = frozenset(("localhost", "127.0.0.1", "::1", "[::1]"))


@looks_at(Per.SETTING, of="SEC_(DEFAULT|CLIENT)_AUTHENTICATION_METHODS")
def for_one_machine(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """FS alone, where the collector is another machine and authentication is required.

    Who connects goes by the level CLIENT, and by DEFAULT where it has none; methods that there are
    not are passed over, so of `FS, GSI` FS is left.
    """
    levels = ("CLIENT", "DEFAULT")
    asked = map(setting.beside, ("SEC_CLIENT_AUTHENTICATION", "SEC_DEFAULT_AUTHENTICATION"))
    required = next(filter(None, map(str.strip, asked)), "").upper() == "REQUIRED"
    counts = setting is first_of(view, levels, "AUTHENTICATION_METHODS")
    if not (required and counts and methods(setting.text()).intersection(METHODS) == {"FS"}):
        return
    host = host_of(view.config)
    home = setting_of(view, "COLLECTOR_HOST") or setting_of(view, "CONDOR_HOST")
    named = home if home is not None and not THIS_MACHINE.search(home.entry.raw) else None
    hosts = set() if named is None else {one.host for one in addresses(named)}
    elsewhere = hosts and hosts.isdisjoint(_ITSELF)
    alone_here = not host.runs("COLLECTOR") and (host.runs("STARTD") or host.runs("SCHEDD"))
    if elsewhere and alone_here and (view.names_daemons or host.listed is not None):
        message = "FS is for daemons of one machine, and the collector is another one"
        yield setting.say(DISAGREE, message, setting.whole(), "add IDTOKENS, SSL or another one")


_COLLECTOR: Final = late_regex(r"(?i)\bCOLLECTOR\w*")


@looks_at(Per.SETTING, of="ALLOW_(DAEMON|ADVERTISE_STARTD)")
def own_ads_alone(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """``ALLOW_DAEMON = $(FULL_HOSTNAME)`` where a collector runs for startds that are elsewhere."""
    host = host_of(setting.config)
    collectors = _COLLECTOR.findall("" if host.listed is None else host.listed[1])
    if len(collectors) != 1 or host.adds or host.runs("STARTD", "SCHEDD"):
        return  # several collectors pass on to one what they take
    others = [_level(setting, name) for name in ("ALLOW_DAEMON", "ALLOW_ADVERTISE_STARTD")]
    macros = (setting.beside(name) for name in ("FULL_HOSTNAME", "HOSTNAME", "IP_ADDRESS"))
    own = {*_ITSELF, *map(str.casefold, macros)}
    listed = [item.casefold().rpartition("/")[2] for text in others for item in split_list(text)]
    if listed and own.issuperset(listed):
        message = f"{setting.macro} lets in daemons of this machine alone, and no startd runs here"
        yield setting.say(no_ads, message, setting.whole(), "startds need it to advertise slots")


def _level(setting: Setting, name: str) -> str:
    """All that a collector lets in at a level."""
    forms = (name, f"{name}_COLLECTOR", f"COLLECTOR.{name}")
    return ",".join(text for text in map(setting.beside, forms) if text.strip())
