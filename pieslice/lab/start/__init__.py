"""The page without a pool: what is dropped on it, what it was taken for, and how it opens; it never
runs what it is given.
"""
