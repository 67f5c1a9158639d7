"""Runs the solvers behind one interface."""
