"""What prices prove, and what rows can be added to the relaxation."""
