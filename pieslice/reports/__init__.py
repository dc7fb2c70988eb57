"""Results as text, JSON, tables and plots; never decides."""
