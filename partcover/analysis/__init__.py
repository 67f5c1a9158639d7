"""Measures what a vocabulary and its tokens are worth."""
