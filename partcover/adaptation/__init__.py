"""Adapts a vocabulary that is there: adds tokens to it, or keeps fewer of them."""
