"""Runs the command line."""
