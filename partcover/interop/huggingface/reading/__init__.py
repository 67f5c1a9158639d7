"""Reads tokenizer.json files."""
