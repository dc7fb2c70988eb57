"""What other configurations of startds and schedds make of a captured pool; never a cycle."""
