"""How the commands are used, told at the terminal: help by topic, completion scripts of shells and
manual pages, all made from the parsers of the commands; never runs a command.
"""
