"""Slots, their sizes and the attributes that a cycle adds to them; knows no request."""
