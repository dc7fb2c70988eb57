"""HTCondor's configuration language and the negotiator's policy as checked values."""
