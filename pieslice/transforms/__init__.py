"""Shows what job transforms and routes make of jobs; never decides what they do."""
