"""Reduces hard problems to tokenization, and takes answers back."""
