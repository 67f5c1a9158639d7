"""Holds what has nothing to do with tokens."""
