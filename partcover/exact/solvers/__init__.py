"""The solvers behind one interface."""
