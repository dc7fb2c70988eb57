"""Watches the course of a pool by rules, and says when something begins and ends that they are
about; never decides what a cycle does.
"""
