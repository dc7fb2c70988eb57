"""``condor_userprio`` on saved states: its tables, its edits, and the recorded cases of both."""
