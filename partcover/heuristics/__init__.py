"""Good vocabularies, without proof: greedy and local search."""
