"""What takes longer than a key, in processes of its own: simulated days, sweeps, counterexamples
that open as pools; the page never waits for it.
"""
