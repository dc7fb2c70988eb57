"""The negotiation cycle of HTCondor as a pure function of a snapshot and a policy.

``negotiate(snapshot, policy, now=..., rng=...)`` in ``negotiator.cycle`` is the whole interface;
the stages are modules of their own.  Only ``io``, ``report`` and ``cli`` touch files and streams.
"""
