"""Turns text into ids and back."""
