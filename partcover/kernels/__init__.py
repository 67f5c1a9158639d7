"""Runs compiled loops over contiguous arrays, and imports nothing of partcover."""
