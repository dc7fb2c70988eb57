"""The definition of what an expression evaluates to; never fast at the price of being plain."""
