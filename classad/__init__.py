"""The ClassAd language: values, expressions, ads, matching."""

#: Tells this package from HTCondor's retired one of the same name; ``policy`` checks it.
__product__ = "pieslice"
