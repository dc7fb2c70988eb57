"""Runs job transforms and the routes of the job router; never reads a file or a queue."""
