"""Tables of words, and their lines in files."""
