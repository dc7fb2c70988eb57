"""The rules that changed between versions of HTCondor; never asks which version is followed."""
