"""How the requests of a cycle went, one after another, and why a job had none; never takes a
condition apart.
"""
