"""What HTCondor 25.14.1 has built in: recorded parameters, meanings, attributes and templates."""
