"""The report of a simulation: plots and one page of HTML."""
