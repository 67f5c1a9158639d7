"""How few tokens are possible: certified lower bounds."""
