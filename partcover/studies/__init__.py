"""Comparisons and the papers' tables."""
