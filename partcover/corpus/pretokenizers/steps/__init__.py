"""Splits text as the pre-tokenizers of Hugging Face's tokenizers do, step by step."""
