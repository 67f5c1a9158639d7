"""Bounds and searches by the most frequent words, with the rest read from a file."""
