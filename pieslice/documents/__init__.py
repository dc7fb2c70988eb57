"""Reference pages of docs/, written from declarations; never states a fact of its own."""
