"""Takes what covers most, k times."""
