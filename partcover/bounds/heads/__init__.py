"""Bounds and searches that keep the most frequent words in memory and read the rest from disk."""
