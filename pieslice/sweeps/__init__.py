"""``pieslice sweep``: one simulation for every combination of settings; never looks into one."""
