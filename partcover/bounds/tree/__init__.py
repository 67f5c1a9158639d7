"""Cases of vocabularies, bounded and split until none is open."""
