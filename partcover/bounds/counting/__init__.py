"""Counts in integers what prices prove."""
