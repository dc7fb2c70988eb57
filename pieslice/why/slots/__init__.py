"""The slots that a job could get or loses, one by one; never changes what the job asks for."""
