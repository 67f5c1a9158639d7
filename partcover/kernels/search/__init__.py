"""Local search, and the search for the worst case."""
