"""Holds tokens, their ids and their file."""
