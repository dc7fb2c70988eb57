"""Which attributes of which side an expression depends on; knows no rows."""
