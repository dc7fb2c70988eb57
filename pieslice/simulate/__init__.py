"""A pool over days: jobs arrive, cycles match them, claims end, priorities age."""
