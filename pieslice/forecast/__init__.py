"""Priorities and shares over the coming hours, without jobs and slots."""
