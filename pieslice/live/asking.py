"""Asks the daemons of a pool through HTCondor's bindings, in a process of its own.

A daemon that hangs holds the whole process that asks it, and the library keeps what it has leaked;
so the asking is done here, and ``pieslice.live.daemons`` ends this process when it takes too long.
It runs as a script and imports nothing of this package: the bindings bring a ClassAd library of
their own.

Inputs: requests on standard input, a JSON object in each line; ``do`` says what is asked for.
Outputs: for each a line of JSON, followed by as many bytes of ads in long form as it says.
Follows: the bindings ``htcondor2`` of 25.14.1, but for their splitting of accounting records.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from classad.patterns import late_regex

#: Names that are secrets: whoever knows a claim id may use the claim.  ``Capability`` is an old
#: name of it; what GPUs can do (``CUDACapability``) and how long a claim is kept
#: (``KeepClaimIdle``) may be known.
SECRET = late_regex(
    r"\w*claimid(s|list)?\d*|(\w*admin)?capability|\w*transferkey\w*|\w*transfersocket\w*|_condor_priv\w*",
    re.IGNORECASE,
)

#: An attribute of a numbered record: ``Name12`` is ``Name`` of the twelfth.
NUMBERED = late_regex(r"(.*?)(\d+)")
#: The function of the bindings that splits an ad of numbered records into ads.
SPLITTER = "_convert_numbered_attributes_to_list_of_ads"

Request = Mapping[str, Any]
Answer = tuple[dict[str, Any], bytes]


def is_secret(name: str) -> bool:
    """Whether an attribute may let its reader act for somebody else."""
    return SECRET.fullmatch(name) is not None


def long_form(ads: Iterable[Any]) -> tuple[int, bytes]:
    """How many ads there are, and their text; secrets that came unasked are left out."""
    texts = []
    for ad in ads:
        lines = ad.printOld().splitlines()
        texts.append("".join(f"{line}\n" for line in lines if not is_secret(line.split(" ")[0])))
    return len(texts), "\n".join(texts).encode("utf-8", "surrogateescape")


def records(numbered: Any) -> list[Any]:
    """The ads that a daemon has put into one ad, with numbers behind the names of attributes.

    What has no number holds for each of them: ``LastUpdate``, the time of accounting records.
    """
    found: dict[str, Any] = {}
    common = {}
    for name in numbered.keys():  # noqa: SIM118 - ads of the bindings have no other way
        parts = NUMBERED.fullmatch(name)
        if parts is None:
            common[name] = numbered[name]
            continue
        ad = found.setdefault(parts[2], type(numbered)())
        ad[parts[1]] = numbered[name]
    for ad in found.values():
        if "LastUpdate" in common:
            ad["LastUpdate"] = common["LastUpdate"]
    return list(found.values())


class DaemonClient:
    """The bindings, set up for one pool."""

    def __init__(self, pool: str | None, tokens: str | None) -> None:
        if not any(map(os.path.exists, configurations())):
            os.environ["CONDOR_CONFIG"] = "ONLY_ENV"
        import htcondor2  # type: ignore[import-untyped]

        self.htcondor = htcondor2
        # Theirs takes `Name12` for number 2 of `Name1`, and loses the records from the tenth on.
        of_negotiator = sys.modules[htcondor2.Negotiator.__module__]
        if hasattr(of_negotiator, SPLITTER):
            setattr(of_negotiator, SPLITTER, records)
        if tokens is not None:
            # The token that was named and no other one, wherever this machine has some.
            for name, value in (
                ("SEC_TOKEN_DIRECTORY", tokens),
                ("SEC_TOKEN_SYSTEM_DIRECTORY", ""),
                ("SEC_CLIENT_AUTHENTICATION_METHODS", "IDTOKENS"),
            ):
                htcondor2.param[name] = value
        self.pool = pool or htcondor2.param.get("COLLECTOR_HOST")
        if not self.pool:
            raise LookupError("no configuration of HTCondor names a COLLECTOR_HOST")
        #: Those of a pool that has several; the one that answered last comes first.
        self.hosts = self.pool.split(",")

    def answer(self, request: Request) -> Answer:
        """What a request asks for."""
        found: Callable[[Request], Answer] = getattr(self, f"do_{request['do']}")
        return found(request)

    def do_hello(self, request: Request) -> Answer:
        """Which pool this is, and who asks."""
        return {"pool": self.pool, "bindings": self.htcondor.version()}, b""

    def do_ads(self, request: Request) -> Answer:
        """Ads of all types from the collector, in its order."""
        kind = self.htcondor.AdType.Any
        problems = []
        for host in list(self.hosts):
            try:
                collector = self.htcondor.Collector(host)
                ads = collector.query(kind, request["constraint"], list(request["names"]))
            except Exception as problem:  # whatever it is, another one may answer
                problems.append(problem)
                continue
            self.hosts.sort(key=lambda other: other != host)
            return _answered(ads)
        raise problems[0]

    def do_direct(self, request: Request) -> Answer:
        """The ad that the negotiator has of itself now."""
        kind = self.htcondor.AdType.Negotiator
        found = self.htcondor.Collector(self._located(request)).query(
            kind, None, list(request["names"])
        )
        return _answered(found)

    def do_jobs(self, request: Request) -> Answer:
        """The jobs of a schedd."""
        schedd = self.htcondor.Schedd(self._located(request))
        return _answered(schedd.query(request["constraint"], list(request["names"])))

    def do_claims(self, request: Request) -> Answer:
        """The claims of a schedd; without a constraint it would tell of none."""
        schedd = self.htcondor.Schedd(self._located(request))
        return _answered(schedd.get_claims("true", list(request["names"])))

    def do_names(self, request: Request) -> Answer:
        """The names of the macros that a daemon has."""
        return {"names": list(self._params(request).keys())}, b""

    def do_values(self, request: Request) -> Answer:
        """The values of some of them; what is not defined comes back as a text that says so."""
        params = self._params(request)
        values = {name: params[name] for name in request["names"] if name in params}
        return {"values": {k: v for k, v in values.items() if v != "Not defined"}}, b""

    def do_priorities(self, request: Request) -> Answer:
        """The accounting records as the negotiator has them now."""
        return _answered(self.htcondor.Negotiator(self._located(request)).getPriorities())

    def do_why(self, request: Request) -> Answer:
        """What a daemon at the collector's address says to anybody, and whether we may READ."""
        host = self.hosts[0]
        name, colon, port = host.rpartition(":")
        address = f"{name}:{port}" if colon and port.isdecimal() else f"{host}:9618"
        there = {"MyAddress": f"<{address}>", "MyType": "Collector"}
        found = self._ping(there, "ALLOW")
        read = self._ping(there, "READ")
        keys = str(found.get("IssuerKeys", ""))
        return {
            "trust": str(found.get("TrustDomain", "")),
            "keys": [key.strip() for key in keys.split(",") if key.strip()],
            "read": bool(read.get("AuthorizationSucceeded")),
        }, b""

    def _ping(self, daemon: Mapping[str, Any], right: str) -> dict[str, Any]:
        """What a daemon says to somebody who asks whether he has a right; nothing if he has not."""
        ping = getattr(self.htcondor, "ping", None)
        if ping is None:
            return {}
        ad = self._located({"daemon": {"CondorVersion": self.htcondor.version(), **daemon}})
        try:
            said = ping(ad, right)
        except Exception:  # there is one kind of exception for everything
            return {}
        return {name: said[name] for name in said.keys()}  # noqa: SIM118 - no other way

    def do_cycle(self, request: Request) -> Answer:
        """Have the negotiator begin a cycle; the command is the one that a schedd sends."""
        # It says nothing to those who may not.
        if hasattr(self.htcondor, "ping"):
            said = self._ping(request["daemon"], "DAEMON")
            if not said.get("AuthorizationSucceeded"):
                raise PermissionError("it lets only daemons of the pool begin a cycle")
        self.htcondor.Schedd(self._located(request)).reschedule()
        return {}, b""

    def _located(self, request: Request) -> Any:
        ad = self.htcondor.classad.ClassAd()
        for name, value in request["daemon"].items():
            ad[name] = value
        return ad

    def _params(self, request: Request) -> Any:
        return self.htcondor.RemoteParam(self._located(request))


def configurations() -> list[str]:
    """The files of which the library reads the first that is there."""
    home = os.path.expanduser("~")
    named = os.environ.get("CONDOR_CONFIG")
    if named:
        return ["/"]
    return [
        "/etc/condor/condor_config",
        "/usr/local/etc/condor_config",
        os.path.join(home, ".condor", "condor_config"),
        os.path.join(home, ".condor", "user_config"),
    ]


def _answered(ads: Iterable[Any]) -> Answer:
    count, text = long_form(ads)
    return {"ads": count}, text


def main(pool: str, tokens: str) -> int:
    """Answer until there are no more requests."""
    # What the library itself prints must not come between the answers.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    asker: DaemonClient | None = None
    for line in sys.stdin:
        began = time.perf_counter()
        body = b""
        try:
            if asker is None:
                asker = DaemonClient(pool or None, tokens or None)
            head, body = asker.answer(json.loads(line))
        except Exception as problem:  # whatever the bindings raise, the parent has to hear of it
            head = {"error": " ".join(str(problem).split()), "kind": type(problem).__name__}
        head["seconds"] = time.perf_counter() - began
        head["bytes"] = len(body)
        answers.write(json.dumps(head).encode() + b"\n" + body)
        answers.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
