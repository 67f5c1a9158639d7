"""Segments words into tokens."""
