"""Results as text, JSON, tables and plots; never runs a cycle."""
