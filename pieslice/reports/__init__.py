"""How answers become text, JSON, schemas, tables and plots; never runs a cycle."""
