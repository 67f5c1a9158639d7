"""Runs comparisons and makes the papers' tables."""
