"""Text to syntax trees; never evaluates one."""
