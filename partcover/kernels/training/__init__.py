"""Trains as other tokenizers do."""
