"""Writes and reads packages in which tiktoken finds an encoding by its name."""

from .format import TIKTOKEN_PACKAGE as TIKTOKEN_PACKAGE
