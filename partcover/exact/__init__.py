"""Proven optima: models, solvers, branch and bound."""
