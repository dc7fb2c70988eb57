"""Plants mechanical changes that chance draws, and tells which no test sees."""
