"""Instances, their candidates and conditions, and the solutions of methods."""
