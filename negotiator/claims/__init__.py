"""What a schedd and a startd do with a match and with a claim, one decision at a time; never moves
a pool through time.
"""
