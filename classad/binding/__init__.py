"""The names, conversions and habits of HTCondor's Python module ``classad2``; never evaluates on
its own.
"""
