"""Proves how good a vocabulary is."""
