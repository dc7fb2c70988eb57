"""The file forms of ClassAds, one module a form; never opens a file, as ``classad.files`` does."""
