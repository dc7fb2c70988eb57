"""User maps: which groups they give to a user; never opens a file."""
