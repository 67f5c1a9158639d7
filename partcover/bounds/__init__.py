"""Proves how few tokens are possible: certified lower bounds."""
