"""Evaluates an expression once per distinct combination of the values that it reads; never row by
row.
"""
