"""Proves optima with integer programming models and solvers, or by branch and cut."""
