"""Why a cycle decided what it decided.

What lives here: questions about a cycle; each module has a frozen value as answer: ``ranking``
(the candidates of a job in order), ``funnel`` (where its slots went), ``clauses`` and ``change``
(what of whose ``Requirements`` fails, and what would help), ``holders`` (who is preempted, and by
which cause), ``quotatrace`` (the arithmetic of quotas step by step), ``difference`` (two cycles).
``moments`` runs the cycle and stops it where the question is; ``cli`` has the commands, and
the modules whose names end in ``text`` the words.

Never here: rules of negotiation; every answer is what the stages of the cycle say.
"""
