"""Answers that a table keeps and joins, each under a budget; never computes one in two ways."""
