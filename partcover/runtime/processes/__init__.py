"""Threads, processes, their output and their signals."""
