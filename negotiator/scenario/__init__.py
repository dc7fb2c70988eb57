"""Scenarios: small pools with a recorded course of one or more cycles of the real negotiator."""
