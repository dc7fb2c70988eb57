"""Which slots a request may have, which is best, who is preempted; never orders submitters."""
