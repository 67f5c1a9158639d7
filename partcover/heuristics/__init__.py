"""Finds good vocabularies, without proof: greedy and local search."""
