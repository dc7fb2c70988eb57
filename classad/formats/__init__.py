"""The file forms of ClassAds, one module a form.

Files are opened by ``classad.adfile``; nothing here touches the outside.
"""
