"""The rows of the relaxation, a file for each family."""
