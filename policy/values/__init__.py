"""Tells what an expression can come to, from what is known of attributes; never judges it."""
