"""The commands on expressions and single cycles; never decides."""
