"""Writes the reference pages of docs/ from declarations; never states a fact of its own."""
