"""``pieslice why``, ``rank``, ``quotas`` and ``diff``: why a cycle decided what it decided; every
answer is what the stages of the cycle say, never a rule of its own.

Each question has a module with a frozen value as answer: ``ranking`` (the candidates of a job in
order), ``funnel`` (where its slots went), ``clauses`` and ``change`` (what of whose
``Requirements`` fails, and what would help), ``fates`` (how the request of a job went, or why there
was none), ``nearest`` and ``findings`` (what the nearest slot lacks, with the arithmetic),
``overview`` (many jobs), ``holders`` (who is preempted, and by which cause), ``quotatrace`` (the
arithmetic of quotas step by step), ``difference`` (two cycles).  ``moments`` runs the cycle and
stops it where the question is, ``record`` notes all requests; modules whose names end in ``text``
have the words.
"""
