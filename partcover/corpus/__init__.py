"""Text to counted words."""
