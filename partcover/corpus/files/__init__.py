"""Text and words out of files and tables."""
