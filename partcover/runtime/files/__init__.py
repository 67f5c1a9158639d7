"""Files: written completely or not at all, locked, recognized."""
