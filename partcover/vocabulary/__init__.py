"""Vocabularies: tokens, their ids and their file."""
