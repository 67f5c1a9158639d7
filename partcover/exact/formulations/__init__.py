"""The integer programs that state the problem."""
