"""The front door for programs: what ``import pieslice`` gives.  Every answer is made by the same
function that its command calls; this folder never prints and never decides.
"""
