"""Reductions from hard problems to tokenization and back."""
