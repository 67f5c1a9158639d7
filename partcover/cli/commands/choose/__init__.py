"""Chooses a vocabulary."""
