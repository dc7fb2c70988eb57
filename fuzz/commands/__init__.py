"""Runs every command on damaged files of every kind: none may end in an internal error."""
