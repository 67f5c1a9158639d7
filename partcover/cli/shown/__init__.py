"""What commands show."""
