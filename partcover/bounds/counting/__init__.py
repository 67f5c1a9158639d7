"""Computes in integers the bounds that prices prove."""
