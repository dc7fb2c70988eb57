"""Says what experiments are asked for: plain values, which server and process know."""

from __future__ import annotations

from attr import frozen


@frozen
class Simulating:
    """Days that are simulated.

    ``every``: hours after which captured jobs come again, 0 for never; ``run_time``: seconds that
    they run in the mean.  ``workload``: streams of a .toml file in place of them, empty for these.
    """

    days: float = 1.0
    every: float = 0.0
    run_time: int = 3600
    workload: str = ""
    seed: int = 0


@frozen
class Sweeping:
    """Macros with the values that are tried, each as a text with commas: one or two."""

    axes: tuple[tuple[str, str], ...]


@frozen
class Fuzzing:
    """What is searched: properties of one macro, empty for all, on so many pairs at most."""

    macro: str = ""
    pairs: int = 200_000
    seed: int = 0
