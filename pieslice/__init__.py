"""What people do with expressions, policies and cycles: the command ``pieslice``, its reports,
plots, questions, forecasts, simulations and searches; never decides what a library decides:
what an expression means is in ``classad``, what a configuration says in ``policy``, who gets which
slot in ``negotiator``.
"""

__version__ = "0.1.0.dev0"
