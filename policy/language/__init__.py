"""The configuration language: from lines of files to the table of macros; it knows no knob."""
