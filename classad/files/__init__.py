"""Files of ads and transaction logs; never interprets what an attribute means to a daemon."""
