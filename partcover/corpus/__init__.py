"""Turns text into counted words."""
