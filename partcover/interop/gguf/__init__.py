"""Writes and reads the tokenizers of GGUF files, llama.cpp's."""

from .format import GGUF as GGUF
