"""Certified lower bounds on the tokens that any vocabulary needs, and a search guided by them."""
