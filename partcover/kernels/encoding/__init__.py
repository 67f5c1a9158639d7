"""Text to words, words to ids, and back."""
