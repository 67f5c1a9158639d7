"""Shows results: tables, plots, pages."""
