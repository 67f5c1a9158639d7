"""First-order steps towards the best prices."""
