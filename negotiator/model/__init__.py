"""What goes into a cycle and what comes out; never matches a request."""
