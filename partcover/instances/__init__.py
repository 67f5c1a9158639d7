"""The instances that are shipped, families of them, and the search for worst cases."""
