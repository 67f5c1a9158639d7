"""Reduces hard problems to tokenization, and converts answers back."""
