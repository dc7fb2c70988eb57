"""The builtin functions, one module per family; never decides how an argument is evaluated.

Importing this package declares nothing: ``load`` imports the families when the first expression
that calls a function is compiled.
"""
