"""Cutting words into tokens by a rule."""
