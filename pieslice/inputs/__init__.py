"""Options that name a pool or a configuration, and reading what they name; never runs a cycle."""
