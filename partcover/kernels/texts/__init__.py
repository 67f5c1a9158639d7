"""Text before words are looked up: what normalizers write, and where steps split."""
