"""How random tests run: ``HYPOTHESIS_PROFILE=ci`` (the default), ``dev`` or ``deep``.

``ci`` tries the same examples every time, so a red suite means a change and not luck; ``dev`` new
ones; ``deep`` many.  None has a deadline: a busy machine is not a failure.
"""

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "ci", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("dev", deadline=None)
settings.register_profile("deep", deadline=None, max_examples=5000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))
