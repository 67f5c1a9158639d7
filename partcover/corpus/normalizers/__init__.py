"""Normalizes text before it is split into words."""
