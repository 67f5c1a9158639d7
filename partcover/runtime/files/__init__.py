"""Writes files atomically, locks them, and recognizes their kind."""
