"""The independent check of vocabularies and certificates."""
