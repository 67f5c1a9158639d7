"""Segments words into tokens by a rule."""
