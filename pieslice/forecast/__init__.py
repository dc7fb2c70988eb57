"""``pieslice forecast``: priorities and shares over the coming hours; knows no jobs and slots."""
