"""States the problem as integer programs."""
