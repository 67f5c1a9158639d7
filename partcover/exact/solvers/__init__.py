"""Solvers behind one interface."""
