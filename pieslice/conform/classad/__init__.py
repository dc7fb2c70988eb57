"""Running recorded cases against this implementation.

``runner`` reads vector files and counts; ``language`` and ``printing`` know the cases about the
ClassAd language.  The other packages bring the kinds of their own rooms; the command line joins
them.
"""
