"""Defines what can be wrong with a workload and with a run."""


class WorkloadError(ValueError):
    """A workload that cannot be understood."""


class RunError(ValueError):
    """A run that cannot be begun or taken up."""
