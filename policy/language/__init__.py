"""The configuration language: from lines of files to the table of macros; never knows a knob."""
