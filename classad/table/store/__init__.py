"""Where a table keeps its columns, rows and parts; never evaluates."""
