"""The `partcover` command."""
