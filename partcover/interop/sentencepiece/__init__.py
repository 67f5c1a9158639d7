"""Writes and reads sentencepiece's model files."""

from .format import SENTENCEPIECE as SENTENCEPIECE
