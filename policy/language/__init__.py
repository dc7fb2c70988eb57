"""The configuration language: lines, statements, macros, conditions, functions, templates; knows
no knob.
"""
