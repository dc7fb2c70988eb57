"""Random inputs against properties that must always hold: ``python -m fuzz --help``."""
