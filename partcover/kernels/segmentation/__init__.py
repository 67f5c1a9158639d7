"""Cuts words into tokens."""
