"""Which slots a request may have, which is best, who is preempted for it; never orders
submitters.
"""
