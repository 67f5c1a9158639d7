"""Integer programming formulations of the problem."""
