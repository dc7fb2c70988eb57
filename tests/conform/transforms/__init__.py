"""Compares what transforms and routes did in the real HTCondor with what they do here."""
