"""Writes tokenizer.json files."""
