"""Proves optima: models, solvers, branch and bound."""
