"""Reads text and words from files and tables."""
