"""User maps: which name they give to a user; never reads a file on its own."""
