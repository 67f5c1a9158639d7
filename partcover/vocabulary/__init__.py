"""Tokens, their ids and their file."""
