"""Adapts a vocabulary."""
