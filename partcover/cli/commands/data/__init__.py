"""Makes and reads data."""
