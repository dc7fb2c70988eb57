"""The ClassAd language: values, expressions, ads, matching."""
