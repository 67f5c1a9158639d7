"""Checks vocabularies and certificates independently."""
