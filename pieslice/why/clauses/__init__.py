"""What of a condition is true of which slots, and what would help; never looks at ranks."""
