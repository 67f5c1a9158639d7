"""What a vocabulary and its tokens are worth."""
