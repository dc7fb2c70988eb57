"""What a policy says, what an expression of it would do, how two policies differ: as values."""
