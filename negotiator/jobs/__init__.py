"""Submitters, autoclusters and requests: the schedd's side of a session; knows no slot."""
