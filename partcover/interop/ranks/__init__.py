"""Formats of ranked tokens."""
