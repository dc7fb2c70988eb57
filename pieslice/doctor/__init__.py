"""Checks the installation; never imports what could be broken but to try it."""
