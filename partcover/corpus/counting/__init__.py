"""Words of many files counted, and what is kept of a count."""
