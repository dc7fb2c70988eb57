"""Ads in long form straight into columns; never another reading than that of
``classad.formats``.
"""
