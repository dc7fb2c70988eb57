"""Questions about an expression: what it refers to, what is left of it, why it has its value;
never changes it.
"""
