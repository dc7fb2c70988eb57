"""A policy as sentences, trials and differences, all values; never prints."""
