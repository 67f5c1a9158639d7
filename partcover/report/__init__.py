"""What is looked at: tables, plots, pages."""
