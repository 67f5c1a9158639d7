"""Offers the shipped instances, families of instances, and the search for worst cases."""
