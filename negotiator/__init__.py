"""The negotiation cycle of HTCondor as a pure function of a snapshot and a policy; never prints,
and never runs more than one cycle.

``negotiate(snapshot, policy, now=..., rng=...)`` in ``negotiator.cycle`` is the whole interface;
the stages are packages of their own.  Only ``io`` and ``capture`` read files.
"""

import policy as _policy  # first of all: it refuses a foreign package called classad

__product__ = "pieslice"

if getattr(_policy, "__product__", None) != __product__:  # pragma: no cover - told at import only
    raise ImportError(
        f"the package `policy` found at {_policy.__file__} is not pieslice's: "
        "install pieslice in an environment of its own",
        name="policy",
        path=_policy.__file__,
    )
