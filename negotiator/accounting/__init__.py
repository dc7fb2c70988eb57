"""Priorities and usage of submitters; knows no slot."""
