"""The rows of the relaxation, with one file for each family."""
