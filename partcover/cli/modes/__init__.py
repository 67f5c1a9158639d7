"""Commands by the most frequent words, and for several corpora."""
