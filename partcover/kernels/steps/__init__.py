"""First-order steps toward the saddle point."""
