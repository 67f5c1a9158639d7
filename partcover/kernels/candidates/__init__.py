"""Substrings that may become tokens, found by a suffix array."""
