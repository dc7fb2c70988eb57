"""What becomes of matches and claims from one cycle to the next; never decides who gets a slot."""
