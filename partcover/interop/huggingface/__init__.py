"""Writes and reads Hugging Face tokenizers."""

from .format import HUGGINGFACE as HUGGINGFACE
