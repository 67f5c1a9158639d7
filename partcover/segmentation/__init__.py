"""Cuts words into tokens by a rule."""
