"""Proofs of lower bounds, and their files."""
