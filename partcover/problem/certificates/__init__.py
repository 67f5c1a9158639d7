"""Certificates of lower bounds, and their files."""
