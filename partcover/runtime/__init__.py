"""What has nothing to do with tokens."""
