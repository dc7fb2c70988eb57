"""The grammar of the ClassAd language, as data (installed as ``classad.grammar``)."""
