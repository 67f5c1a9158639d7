"""Uses a vocabulary."""
