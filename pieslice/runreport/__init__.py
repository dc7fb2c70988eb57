"""``pieslice report``: plots and one page of HTML from the folder of a simulation; never
simulates.
"""
