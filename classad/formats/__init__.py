"""The file forms of ClassAds, one module a form.

Files are opened by ``classad.files.ads``; nothing here touches the outside.
"""
