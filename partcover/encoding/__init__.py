"""Converts text to ids and back."""
