"""HTCondor's configuration language and the negotiator's policy as checked values; knows no cycle,
and never prints.
"""

from policy.foreign_package import require_own

require_own("classad")

__product__ = "pieslice"
