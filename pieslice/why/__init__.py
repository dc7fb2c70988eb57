"""``pieslice why``, ``rank``, ``quotas`` and ``diff``: why a cycle decided what it decided; every
answer is what the stages of the cycle say, never a rule of its own.

A file is a part of an answer: its frozen value, how it is found, and its words.  ``asked``: the
jobs and slots that a question names; ``moments``: the cycle, stopped where the question is;
``sessions``, ``limits`` and ``fates``: how requests went, under which limits, and why a job had
none; ``clauses``, ``funnel`` and ``suggestions``: what of whose ``Requirements`` fails for which
slots, and what would help; ``conditions``: the arithmetic of all that; ``preemption``: who is
preempted, and by which cause; ``ranking`` and ``slots``: the candidates of a job in order, one
slot in full.  The answers are ``answer`` (one job), ``autoclusters`` (many),
``ranking``, ``quotas`` and ``differences`` (two cycles).
"""
