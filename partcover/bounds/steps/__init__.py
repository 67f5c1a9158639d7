"""First-order steps toward the best prices."""
