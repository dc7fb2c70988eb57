"""Accounting groups: quotas, surplus and rounds; knows no slot."""
