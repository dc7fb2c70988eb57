"""The builtin functions, one module per family."""
