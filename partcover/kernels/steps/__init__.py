"""First-order steps towards the saddle point."""
