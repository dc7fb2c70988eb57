"""Reads small pools with a recorded course of cycles of the real negotiator, and plays it; never
compares.
"""
