"""Compares, and makes tables, figures and pages."""
