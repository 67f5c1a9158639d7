"""Adapts an existing vocabulary: adds tokens to it, or keeps fewer of them."""
