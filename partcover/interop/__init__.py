"""Other libraries' vocabularies, in and out."""
