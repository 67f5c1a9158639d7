"""Writes and reads priority tokenizers: a vocabulary with the code that segments by it."""

from .format import PRIORITY_TOKENIZER as PRIORITY_TOKENIZER
