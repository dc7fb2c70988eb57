"""Jobs of a cluster, a user or a group, summed up by autocluster; never asks what a slot says."""
