"""The front door: what people do with expressions, policies and cycles; never decides what a
library room decides.
"""
