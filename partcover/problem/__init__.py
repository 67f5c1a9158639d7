"""Defines what is asked (words, candidates, conditions) and what an answer is."""
