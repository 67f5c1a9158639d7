"""Defines instances, their candidates and conditions, and the solutions of methods."""
