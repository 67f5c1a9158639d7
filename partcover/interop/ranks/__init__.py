"""Formats that list tokens by number: a rank, an id, or the line."""
