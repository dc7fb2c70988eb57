"""What leaves the page: exported and saved pages, new files, other names for users and machines; a
file of the pool is never written over.
"""
