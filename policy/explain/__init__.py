"""What a policy says, what an expression of it would do, how two policies differ: as values; never
lays out a line.
"""
