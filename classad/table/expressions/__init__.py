"""Expressions that differ in constants only, and their texts; knows no rows."""
