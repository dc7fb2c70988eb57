"""Holds what an ad, a list and an expression keep; never evaluates one."""
