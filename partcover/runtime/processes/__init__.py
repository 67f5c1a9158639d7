"""Threads, processes, and what they print and are told."""
