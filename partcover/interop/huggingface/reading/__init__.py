"""Reads the models of tokenizer.json files."""
