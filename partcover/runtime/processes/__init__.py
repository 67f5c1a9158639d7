"""Threads and processes, their output and their signals."""
