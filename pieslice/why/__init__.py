"""``pieslice why``, ``rank``, ``quotas`` and ``diff``: why a cycle decided what it decided; every
answer is what the stages of the cycle say, never a rule of its own.

Each question has a module with a frozen value as answer: ``requests.fates`` (how the request of a
job went, or why there was none), ``clauses.funnel`` (where its slots went), ``clauses.table`` and
``clauses.change`` (what of whose ``Requirements`` fails, and what would help), ``slots.ranking``
(the candidates of a job in order), ``slots.case`` (one job and one slot), ``slots.nearest`` and
``clauses.findings`` (what the nearest slot lacks, with the arithmetic), ``slots.holders`` (who is
preempted, and by which cause), ``autoclusters.overview`` (many jobs), ``quotas.trace`` (the
arithmetic of quotas step by step), ``differences.cycles`` (two cycles).  ``requests.moments`` runs
the cycle and stops it where the question is, ``requests.record`` notes all requests; modules whose
names end in ``text`` have the words.
"""
