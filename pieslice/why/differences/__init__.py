"""What sets the decisions of two cycles apart; never runs a cycle."""
