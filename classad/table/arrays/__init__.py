"""Arithmetic on whole arrays of numbers; knows no expression."""
