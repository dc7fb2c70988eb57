"""What HTCondor 25.14.1 has built in, recorded: parameters, their meanings, attributes, templates."""
